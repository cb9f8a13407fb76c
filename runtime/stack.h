/* A recursion that is too deep ends the program with a message, not with a bare signal; a signal that
 * a fault of our own brings says so first. */
#ifndef CS_RUNTIME_STACK_H
#define CS_RUNTIME_STACK_H

void stack_guard(void);
void stack_unguard(void);
/* C$ functions run on the calling thread from here on. */
void stack_enter(void);

#endif
