/* Classes and their members, values that are objects, generics: what this folder offers the others,
 * then what its files offer each other. */
#ifndef CS_SEMA_CLASS_H
#define CS_SEMA_CLASS_H

#include "../call/call.h"

/* ---- class.c: classes and their layout ------------------------------------------------------ */

/* The type of a class; makes its Class when first asked. Its members may not be known yet. */
const Type *class_type(Sema *s, Symbol *sym);
Class *class_outer(Sema *s, const Class *c);          /* the class that c stands in, or NULL */
const Type *class_library(Sema *s, const char *name); /* a class of the library */
void class_ready(Sema *s, Class *cls); /* bases, members, slots: laid out when first needed */
bool class_is_object(const Class *c);  /* the library's `object`, which every class is */
void class_settle(Sema *s);     /* lays out all that exist: outside of a layout, all always are */
Class *class_of(const Type *t); /* of an object or record; NULL for others, a TextWriter too */

/* ---- member.c: members of types ------------------------------------------------------------- */

/* What a class or enum declares, one entry a name: overloads are linked by `next`. */
struct Members {
    Symbol **data;
    int len, cap;
};

/* Reports what cannot share a name. */
void member_add(Sema *s, Symbol *owner, Symbol *member);
Symbol *member_own(const Symbol *owner, const char *name); /* that it declares itself, or NULL */
/* The nearest declaration in the class and its bases, or NULL. */
Symbol *member_find(Sema *s, Class *cls, const char *name);
/* Is n, a name or member, of the type that is named like it (Color Color)? */
bool member_is_named_like_type(Sema *s, const Ast *n);
bool member_accessible(Sema *s, const Symbol *member);
void member_check_access(Sema *s, const Symbol *member, Loc loc); /* reports */
/* x.f, as a value or as the callee of a call. A name of a member gets its base: true if it did. */
void check_member(Sema *s, Ast **slot);
bool member_unqualified(Sema *s, Ast **slot);
/* The type of the value before the dot, which is checked once and for all; NULL: it is no value, or
 * not a good one. */
const Type *member_receiver(Sema *s, Ast *n);
/* A variable, field, property, element: something that may be assigned. A property or indexer stays
 * one; place_value makes a call of its getter. */
void place_check(Sema *s, Ast **slot);
void place_value(Sema *s, Ast *n); /* method.c */
void check_this(Sema *s, Ast *n);  /* THIS, BASE */
/* The methods of that name, nearest first; overridden ones once. */
Candidates candidates_of_methods(Sema *s, Class *cls, const char *name);

/* ---- index.c: Index and Range ------------------------------------------------------------------- */

/* ^1, or 1..^1 where a Range is wanted (hint) or some place counts from the end, becomes the value:
 * true if it did, or was reported. */
bool index_value(Sema *s, Ast **slot, const Type *hint);
/* An unchecked copy of the base of an INDEX that index_places or counted.c needs; NULL: none does. */
Ast *index_copy(Sema *s, const Ast *n);
/* What is in the brackets of an INDEX becomes what its checked base takes; reports. */
void index_places(Sema *s, Ast *n, const Ast *again);

/* ---- struct.c: methods and setters that change a struct ---------------------------------------- */

Symbol *struct_self(Sema *s); /* the parameter that is `this` in one; or NULL */
/* A call of one, an assignment to what has such a setter: done; false if it is none. */
bool struct_call(Sema *s, Ast **slot, const Type *hint);
/* Is c, or NULL, a struct that a method of this name changes? */
bool struct_changes(Sema *s, Class *c, const char *method);
/* Warns where e, a struct, becomes an interface whose methods change it: each call would have a copy. */
void struct_held(Sema *s, const Ast *e, const Type *to);
bool struct_set(Sema *s, Ast **slot, Ast *target, AstOp op, Ast *value);
/* A statement of a constructor that calls such a method of its own struct: done, as a block. */
bool struct_constructing(Sema *s, Ast **slot);
bool struct_or_tuple(const Type *t);
/* Is n, unchecked, or what it is a part of, a struct that is kept as an object, which other variables have, too; or an
 * element? */
bool struct_is_shared(Sema *s, const Ast *n);

/* ---- object.c: new, null, as, default --------------------------------------------------- */

void check_new(Sema *s, Ast **slot, const Type *hint);
void check_made(Sema *s, Ast *n, Class *cls); /* once its arguments are checked */
void check_null(Sema *s, Ast *n);
void check_default(Sema *s, Ast *n, const Type *hint);
bool type_is_nullable(const Type *t);
bool object_cast_exists(const Type *from, const Type *to); /* between classes */
void check_as(Sema *s, Ast *n);

/* ---- nullable.c: values that may be null ------------------------------------------------------ */

const Type *nullable_of(const Type *t); /* T of a T?; NULL: it is none */
const Type *nullable_type(Sema *s, const Type *t,
                          Loc loc);                  /* T? of a value; others stay as they are */
const Type *nullable_written(Sema *s, const Ast *n); /* of a TYPE_NULLABLE */
bool nullable_converts(Sema *s, const Ast *e, const Type *to); /* to a T? */
bool nullable_convert(Sema *s, Ast **slot, const Type *to);
bool nullable_cast(Sema *s, Ast *n, const Type *from, const Type *to); /* false: no such cast */
Symbol *nullable_box(Sema *s, const Type *from, Loc loc);              /* T? to object */
/* Of checked operands: *n becomes the lifted operation; false if no operand may be null. */
bool nullable_binary(Sema *s, Ast *n);
bool nullable_unary(Sema *s, Ast *n);
bool nullable_coalesce(Sema *s, Ast *n); /* the right one may be a THROW, unchecked */
/* target op= value becomes target = again op value, where `again` is an unchecked copy of it. */
bool nullable_assign(Sema *s, Ast *n, Ast *again);

/* ---- tuple.c: tuples, final classes without a name ------------------------------------------- */

const Type *tuple_written(Sema *s, Ast *t); /* of a TYPE_TUPLE */
void check_tuple(Sema *s, Ast **slot, const Type *hint);
bool type_is_tuple(const Type *t);
Ast *tuple_value(Ast *item);                                    /* of (x : a): a */
Symbol *tuple_field(Sema *s, const Class *c, const char *name); /* Item1 .., or NULL */
/* The function that makes one tuple of another whose elements convert to its own, or NULL. */
Symbol *tuple_conversion(Sema *s, const Type *from, const Type *to);
/* Of two tuples the type that both convert to, or NULL: names are those of what is no literal. */
const Type *tuple_common(Sema *s, const Ast *a, const Ast *b);

/* ---- box.c: values as objects ----------------------------------------------------------------- */

/* The function that puts a value into an object, or takes it out if asked explicitly; or NULL. */
bool box_takes(const Type *t); /* does it convert to object by being put into one? */
Symbol *box_conversion(Sema *s, const Type *from, const Type *to, bool explicitly);
/* Is there a value of this type in the object, which is checked? Then a new variable has it. */
Ast *box_test(Sema *s, Loc loc, Ast *operand, const Type *t, const char *name);
/* `o as string`: done, as *n; false where no value is asked for. */
bool box_as(Sema *s, Ast *n);
/* The type that is asked of a value of type from: of an object's Enum the interface of enums that are in one. */
const Type *box_asked(Sema *s, const Type *from, Ast **target);

/* ---- sequence.c: arrays, functions and strings as IEnumerable<T> ------------------------------- */

/* Of an array, a function of an int or a string; NULL of others. */
const Type *sequence_element(Sema *s, const Type *t);
bool sequence_is_interface(const Symbol *generic); /* may it be one of those? */
/* Is it written IEnumerable or IEnumerator, without type arguments? */
bool sequence_is_untyped(Sema *s, const Ast *written);
const Type *sequence_of_object(Sema *s, const Type *t); /* T of an IEnumerable<T>, or NULL */
bool sequence_fits(Sema *s, const Type *from, const Type *to);
bool sequence_convert(Sema *s, Ast **slot, const Type *to, const char *what); /* where it fits */
/* An array whose elements convert to those of `to` by a function: a new one. */
bool sequence_convert_elements(Sema *s, Ast **slot, const Type *to);

/* ---- userop.c: user operators and conversions ----------------------------------------------- */

/* An operator of a class or of null: true if *n is done, reported or not. Operands are checked. */
bool user_binary(Sema *s, Ast *n);
bool user_unary(Sema *s, Ast *n);
bool user_truth(Sema *s, Ast **slot); /* of a condition: becomes a call of its operator true */
bool user_compound(Sema *s, Ast *n);  /* of an ASSIGN; false if there is no operator */
/* Of an INCDEC whose target is checked; `again` is an unchecked copy of it. */
bool user_step(Sema *s, Ast *n, Ast *again);
bool is_repeatable(const Ast *n); /* can it be evaluated twice? */
/* The implicit (or explicit) conversion that a class of one of both declares, or NULL. */
Symbol *user_conversion(Sema *s, const Type *from, const Type *to, bool explicitly);
/* The conversions of this name that a class declares, one after the other: the one after `last`, or NULL. */
Symbol *user_next_conversion(Sema *s, const Class *c, const char *name, const Symbol *last);
/* An operand of a class without such an operator becomes the scalar that alone its class converts to. */
void user_operand(Sema *s, Ast **slot);
void user_convert(Sema *s, Ast **slot, Symbol *conversion);

/* ---- enum.c --------------------------------------------------------------------------------- */

const Type *enum_type(Sema *s, Symbol *sym);
/* E.EnumValues and E.EnumNames, arrays by the unsigned values: done, as *n. False for other members. */
bool enum_list(Sema *s, Ast *n, const Type *t);
Symbol *enum_text(Sema *s, const Type *t); /* the function that names its values */
/* A function or array of enums becomes an array of names; false if it cannot be an array. */
bool enum_array_text(Sema *s, Ast **slot);

/* ---- generic.c: instances of generic functions and classes ---------------------------------- */

/* What a generic function or class was made for. */
struct Instance {
    const Symbol *of; /* the generic */
    Symbol **params;  /* its type parameters: SYM_TYPEs with their types */
    int nparams;
    const char *name; /* "List<int>", "max3<float>" */
    Loc loc;          /* where it was first wanted */
    int depth;        /* instances around */
    Symbol *older;    /* the instance of the same generic made before */
};

enum { MAX_TYPE_PARAMS = 8 };

void generic_declare(Sema *s, Symbol *sym, const AstList *tparams); /* it is generic */
void vary_close(
    Sema *s); /* what may run for methods of instances that others stand for; before pure_infer */
const Symbol *generic_newest(const Symbol *g); /* an instance; Instance.older: the others */
int generic_nparams(const Symbol *g);
const Ast *generic_param(const Symbol *g, int i); /* a TYPE_PARAM */
/* The instance of a generic function for these type arguments, or NULL after a report. */
const AstList *generic_wheres(const Symbol *g); /* the constraints of its parameters */
Symbol *generic_instance(Sema *s, Symbol *g, const Type *const *args, Loc loc);
/* The class for these type arguments; the error type after a report. */
const Type *generic_class(Sema *s, Symbol *generic, Ast *written);
const Type *generic_with(Sema *s, Symbol *generic, const Type *t, Loc loc); /* of one parameter */
/* Of the generic class `outer` the instance whose type arguments a class inside it has; NULL after a report. */
Symbol *generic_around(Sema *s, Symbol *outer, const Instance *inner);
/* untyped.c: checks the arguments of a call some overload of which is generic and takes functions:
 * untyped lambdas last, with the parameters that the other arguments tell. False: no such call. */
bool untyped_arguments(Sema *s, const Candidates *set, AstList args);

/* ---- among the files of classes ----------------------------------------------------------- */

Class *class_object(Sema *s); /* the library's `object`; NULL without a library */
/* `final class`, not mutable: a value, record or not. */
bool class_is_final_value(const Class *c);
bool class_is_struct(const Class *c);     /* such a value, written with that word */
bool class_is_changeable(const Class *c); /* .. whose fields may be assigned: structs and tuples */
bool class_is_record(const Class *c);     /* a class that is compared by its members */
bool class_is_interface(const Class *c);
bool class_is_laid(const Class *c);                           /* class_ready is through with it */
bool class_is_automatic(const Class *c, const Ast *property); /* it keeps its value itself */

/* class_members.c. The members that are written, once the bases are laid. */
void class_lay_members(Sema *s, Class *c);
bool class_writes(const Class *c, const char *name); /* a member of this name */
/* The symbol of a FUNC node of a class, with its `self`; the caller adds it to the members. */
Symbol *class_function(Sema *s, Class *c, Ast *func, Loc loc);

/* slots.c; the signatures of the methods are known */
void slots_lay(Sema *s, Class *c);
void slots_implement(Sema *s, Class *c);

/* ---- dispatch.c: virtual generic methods ----------------------------------------------------- */

/* f, a new instance of a generic method, gets a selector if its object says what runs. */
void dispatch_instance(Sema *s, Symbol *f);
/* f, with a selector, is used: so is what the classes in use have for it. */
void dispatch_use(Sema *s, Symbol *f);
/* Class c is used: so is what it has for the instances in use. */
void dispatch_class(Sema *s, Class *c);
/* What runs for f, with a selector, on objects of class c itself. */
Symbol *dispatch_target(Sema *s, const Class *c, Symbol *f);

/* with.c: the constructor that has all fields, NULL if the class has its own. */
Symbol *class_plain_constructor(const Class *c);

/* struct.c: of a method of a struct that changes it what it runs, by reference; its own body calls that.
 * NULL: it changes nothing. */
Ast *struct_split(Sema *s, Class *c, Ast *func);

/* member.c */
bool has_self(Sema *s); /* is there a `this`? */
int count_overloads(const Symbol *first);

/* implied.c */
void implied_constructors(Sema *s, Class *c); /* those written, too: they get their initialisers */
#define SAME_METHOD "@Same"                   /* of tuples with reals: Equals */
#define SHOWN_METHOD "@Shown"                 /* as ToString, with values as a session shows them */
/* == != Equals GetHashCode ToString .. of a final class or a record */
void implied_members(Sema *s, Class *c);
/* For record.c: does the class write a member of this name itself? */
bool implied_has(const Class *c, const Sema *s, const char *name);
/* Have values of this type CompareTo, their own or an implied one? */
bool implied_is_ordered(Sema *s, const Type *t);
/* A method with this body, a block or what it returns; NULL: it is abstract. */
Symbol *implied_add(Sema *s, Class *c, uint64_t mods, const Type *ret, const char *name,
                    AstList params, Ast *body);
/* A constructor, not yet among those of the class. */
Symbol *implied_constructor(Sema *s, Class *c, uint64_t mods, AstList params, AstList body);

/* record.c */
void record_members(Sema *s, Class *c); /* of `record` and `record struct` */
void record_equality(Sema *s, Class *c);
/* The name of a field, or of what an automatic property keeps. */
const char *class_stored(Sema *s, const Class *c, const Symbol *f);
void record_copies(Sema *s,
                   Class *c); /* the constructor that copies; before signatures are known */
/* p with { X = 1 } of a record class: its copy, changed. */
Ast *record_with(Sema *s, Ast *n, const Class *c);

#endif
