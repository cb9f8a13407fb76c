/* What the texts of a library (its C header, its Python module) are made with. */
#ifndef CS_CODEGEN_HOST_LIBRARY_H
#define CS_CODEGEN_HOST_LIBRARY_H

#include "../impl.h"

/* How a type crosses the border (codegen/abi/library.h). */
CsBorder host_border(const Type *t);
CsBorder host_param_border(const Symbol *sym, int i); /* its i-th parameter */
void host_name_exports(HostModule *m);                /* for host_export_name */
/* NAME_name.. with only letters that C takes. */
const char *host_c_name(const HostModule *m, const char *name, const char *suffix);
/* The C type of one element: "float", "matrices_Vector". */
const char *host_c_element(const HostModule *m, const Type *t);
/* The records that exported functions take and give, those that others hold first. */
typedef void HostEachRecord(const HostModule *m, const Class *c, void *ctx);
void host_each_record(const HostModule *m, HostEachRecord *record, void *ctx);
/* The function as it is declared in C$: "float[,] mul(float[,] a, float[,] b)". */
void host_print_declaration(Text *out, const Symbol *sym);
/* The comment that belongs to it, without its marks, or "". */
const char *host_comment(const HostModule *m, const Symbol *sym);

#endif
