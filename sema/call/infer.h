/* What is known of the type arguments of a call while its arguments are looked at. */
#ifndef CS_SEMA_INFER_H
#define CS_SEMA_INFER_H

#include "../check/check.h"

typedef struct Inference {
    Sema *s;
    const Symbol *generic;
    const Type *found[MAX_TYPE_PARAMS];
} Inference;

/* From a value of type t for what is written so: false if it cannot be. */
bool infer_from(Inference *f, const Ast *written, const Type *t);
/* The same of an argument. A function given for a bare T means promotion, where there is a result: T
 * is its result. */
bool infer_argument(Inference *f, const Ast *param, const Ast *arg);
/* From the types that are written; false after a report. */
bool infer_written(Inference *f, const AstList *targs);
/* The written type with what is found for the type parameters; NULL if some are not known. */
const Type *infer_type(const Inference *f, const Ast *written);

#endif
