/* csc --serve: machine code of kernels for a program that runs, in a process of its own. */
#ifndef CS_CODEGEN_SERVE_H
#define CS_CODEGEN_SERVE_H

/* Answers requests (codegen/abi/serve.h) until the other end closes the socket, or says what is none. shipped:
 * csc.kept, or NULL. */
void serve(int socket, const char *shipped);

#endif
