/* Objects of the host that hold arrays or functions: tuples, and instances of classes. Their fields are known as
 * variables are. An object is one Value, whoever refers to it. What a branch, or a call that is not followed, changes
 * is not forgotten: a wrong guess makes a kernel that nobody asks for, no more. */
#ifndef CS_SEMA_OBJECT_H
#define CS_SEMA_OBJECT_H

#include "known.h"

bool object_is(
    const Type *t); /* of a class with fields of functional types, or with such objects */
Value *object_new(Foresee *f);
bool object_has(const Ast *n); /* is it a field whose value is known, as those of variables are? */
/* What such a field has, and gets. */
Value *object_field(Foresee *f, const Ast *member);
void object_set(Foresee *f, const Ast *member, Value *v);
void object_set_field(Foresee *f, const Value *object, const Symbol *field, Value *v);
/* known_aliases goes on with fields that were known before the loop. */
uint64_t object_aliases(const Foresee *f, uint64_t hash);

#endif
