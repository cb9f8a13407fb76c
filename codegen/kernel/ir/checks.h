/* Parts of the prelude that notice errors. */
#ifndef CS_CODEGEN_CHECKS_H
#define CS_CODEGEN_CHECKS_H

extern const char prelude_note[], prelude_noted[], prelude_division[], prelude_divisions[],
    prelude_fail[], prelude_checked[], prelude_inside[];

#endif
