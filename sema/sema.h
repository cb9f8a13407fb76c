/* Meaning: names, types, overloads, promotion, bound variables, purity; then lowering of functional
 * expressions to graphs. One entry point. */
#ifndef CS_SEMA_SEMA_H
#define CS_SEMA_SEMA_H

#include "../base/intern.h"
#include "../base/report/diag.h"
#include "../fdag/fdag.h"
#include "../parser/ast.h"
#include "call/builtins.h"
#include "names/symbol.h"
#include "names/types.h"

/* The annotated tree: what lower and the host back end may rely on, for a unit without errors.
 *
 * Types and constants. Every expression and type node has `type`. `is_const` with `value`: the
 * expression is that constant (literals, const names, folded operations, Math.PI, int.MaxValue,
 * Rank); strings never are. PARAM: the constant that its `init` is, in its type; where that is a
 * text, `init` is a STRING_LIT.
 *
 * Conversions are nodes. CONVERT is implicit, CAST was written; each converts its operand's type
 * to its own:
 * - scalar to scalar: scalar_convert.
 * - functional to functional: same parameters; the result converts if it differs, else nothing
 *   changes (an array as a function).
 * - functional to array: evaluation. The operand has the array's element type: a conversion of
 *   elements is a node below.
 * - printable to string: the text of a scalar or a functional value.
 * - long or uint to int, implicitly: of an index only; the index may be a function.
 *
 * Afterwards types are equal where the operation asks for it: operands of BINARY, branches of
 * COND, arguments and parameters, initialiser and variable, value and target, returned value and
 * result.
 *
 * Names. NAME_REF.sym: SYM_LOCAL, PARAM, BOUND, CONST (a string constant's text is in sym->text),
 * FUNC (as a value: of type TY_FUNC, one overload). MEMBER.sym is SYM_BUILTIN: a property, a method
 * or static function that is called, or an overload of one as a value (of type TY_FUNC). unit->sym
 * is the symbol of `args` (SYM_PARAM, string[], decl NULL).
 *
 * Operators. BINARY, UNARY, COND, CAST with AST_RES_NONE are the host's. BINARY ADD of strings
 * concatenates; EQ and NE compare strings. Shifts: left and result of one type, right int. COND of
 * functional type with a scalar condition and AST_RES_NONE chooses one of two functional values.
 * AST_RES_PROMOTE: at least one operand is functional; result types of functional operands and
 * types of scalar ones are what the scalar operation takes; `type` is functional, its parameters
 * the operands' merged in order (equal lists are one). An argument whose parameter is of functional
 * type is no operand: it is passed as it is.
 *
 * CALL:
 * - RES_NONE: callee->sym (and the call's sym) is SYM_FUNC or SYM_BUILTIN; of an instance method
 *   the callee is a MEMBER whose base is the instance, not among args. Arguments of letter '*' are
 *   strings. `ref x` and `out x` are UNARY REF and OUT.
 * - RES_APPLY: the callee is a functional value, args are scalars.
 * - RES_PROMOTE: of sym, pointwise; without sym of the functional callee: composition.
 * - RES_REDUCE: see below.
 * - Npy.Load has the array type that it loads; Random.Uniform is a float(long). Calls of ToString
 *   and Eval are gone: CONVERT or INTERP. x.Elapsed.TotalSeconds is the MEMBER ElapsedSeconds of x.
 *
 * INDEX is RES_APPLY or RES_PROMOTE like CALL; of a string it is RES_NONE and a char. As a target
 * its base is an array variable. NEW.sym is the row "new" of the class. NEW_ARRAY.sizes are long;
 * with an initialiser `sizes` are constants that agree with it. HOLE.expr is printable and not
 * converted.
 *
 * Assignment. `x op= e`: e's type is the type of the operation (a shift: e is int, the operation's
 * type is the promoted target's); the target converts to it and the result back. Of strings e is a
 * string. Functional `f op= e` has become f = f op e.
 *
 * Bound variables. REDUCE and CALL with RES_REDUCE: `bound` in order, explicit ones first, then
 * implicit ones by first occurrence (Symbol.implicit). Empty: the operand is functional and reduced
 * over all its parameters; else it is scalar. The operand's (result) type is the node's: sum of
 * bytes has a CONVERT to int. A CALL's operand is its only argument that is no BINDER; its sym is
 * the SYM_BUILTIN row with the operation (of some type), or a user's T(T,T). REDUCE: op ADD or MUL,
 * or with a sym by that operator of a class.
 * DEFINE, LET, LAMBDA: `bound` are the parameters; the body is a value or functional (a nested
 * function: `float(int)(float)`). A parameter of a LAMBDA with BINDER.vtype (written, or taken from
 * the type that the place wants) and no constraint has all values; its type can be any, functional
 * too. DEFINE.sym is the variable:
 * of functional type, or of array type, then it is evaluated at once; value's type is its result.
 * Symbol.constraint is a functional value of as many parameters as the binder has names,
 * constraint_dim the parameter; it may use earlier variables of the same list. A RANGE is int(int)
 * or long(long), with bounds of that type.
 *
 * Statements. Constants are in unit.decls or in a VAR_DECL with is_const: no code. Variables are
 * DECLARATOR.sym, FOREACH.sym (its type may be wider than the element's), PARAM.sym. `return e` of
 * the program is its exit code (int). A program with only a Main has a statement that calls it.
 * Variables are assigned before they are read; the end of a function with a result is not reached.
 */

/* Classes. Generic functions and classes are gone: their instances are functions and classes like
 * others (checked copies of the trees), and so are the implied constructors, accessors that are not
 * automatic, == and ToString of records, field initialisers (assignments at the head of the
 * constructors that chain to no other of the class). The `decl` of every SYM_FUNC is a FUNC node:
 * constructors and accessors have become ones (ret is void for constructors and setters; a setter's
 * last parameter is `value`; body is NULL if abstract or of an interface), reached through
 * SemaResult.funcs only. The `decl` of a SYM_FIELD is a DECLARATOR, of an automatic property too.
 * Unqualified uses of members have got their base: THIS, or a type node for static ones. What is
 * not desugared:
 * - THIS.sym and BASE.sym are the `self` of the function; its type is the class's. A record's is a
 *   value; in its constructor it is a variable, all zero at first, that the constructor returns.
 * - MEMBER.sym SYM_FIELD: instance (the base is an object or record, or AST_RES_PROMOTE: a function
 *   of records) or static (the base is a type node, not to be evaluated). A property whose storage
 *   is known statically (an automatic one that is not virtual) is its field. A const member or an
 *   enum's is a constant: SYM_CONST.
 * - Other properties read are CALLs of their getters. As targets they are MEMBER with sym
 *   SYM_PROPERTY; indexers read are CALLs of the getter, as targets INDEX with sym SYM_PROPERTY.
 *   A target `obj.P[i]` or `list[k][i]` is INDEX over such a target: it reads, changes and writes.
 *   What stands before the last `.` or `[` of a property, field or indexer is evaluated once.
 * - CALL of a method: callee MEMBER (base the instance, or a BASE or a type node), sym the
 * SYM_FUNC; virtual if sym->slot >= 0 and the base is no BASE: through Class.slots, of an
 * interface's by impls. User operators and conversions are CALLs of static methods, whose callee is
 * a MEMBER of a type node. With AST_RES_PROMOTE the instance or some arguments are functions. `a +=
 * b` by a user operator: ASSIGN.sym is that SYM_FUNC; its result is the target's type, or
 * ASSIGN.value is all there is (ASSIGN.op NONE) where a conversion is needed.
 * - NEW.sym is the constructor; of a record it gives the value. Every class that can be made has
 *   one. A chain is an EXPR_STMT near the head of the body, behind the field initialisers: CALL
 * whose callee is THIS or BASE, sym the constructor. NEW.init: an INIT_LIST of CALLs of Add whose
 * callee is a MEMBER without base: the new object.
 * - Patterns are conditions, but for IS: `target->type` is a class (or string: not null), as of AS.
 *   IS.sym: the variable of `x is T name`, or NULL; of a comparison with null the target is
 *   NULL_LIT, of `x is var name`, which always holds, TYPE_VAR with the type of x. Conversions between classes: CONVERT upwards, CAST
 *   downwards (InvalidCastException). An object of a class with Class.function to its functional
 *   type: CONVERT. null to a reference: CONVERT of NULL_LIT. EQ and NE of references (both of one
 *   class type) compare the references.
 * - Text of an object: CONVERT to string (slot 0; "" for null). Of a record or an enum it is a CALL
 *   of its ToString, or of a function that sema made.
 * - Enums: CAST from and to numbers and other enums; comparisons and & | ^ ~ are BINARY and UNARY
 * on the enum's scalar. DEFAULT: the zero of its type (null, an empty array, "").
 * - Members of every type: GetHashCode, CompareTo are calls of the rows of space "any", whose first
 *   parameter is the instance, converted to it; Equals of values is ==.
 * - CLOSURE: a function value made of the SYM_FUNC sym (a synthetic function or a bound method),
 *   whose first parameters are the captures; its type is functional. Functional types over strings,
 *   objects, arrays or functions (type_is_hosted) are never in graphs: they are applied by the
 * host.
 * - COALESCE of references is BINARY; of functions it is machinery for lower. COALESCE_ASSIGN is
 *   ASSIGN.
 * - Tuples are records or objects of final classes (Class.tuple): TUPLE has become NEW, assignments
 *   to one statements (check/deconstruct.c).
 * - Calls have an argument for each parameter: default values and the array of params are there.
 *   SWITCH_EXPR has become COND, or a call of a function.
 * - Functions inside functions are functions like others, in a class methods: what they use of the
 *   function around them are their last parameters. Where they stood is an EMPTY. A lambda with
 *   statements is one that calls such a function.
 * - foreach over objects and `using` are desugared to loops and TRY. Names that begin with $ are
 *   sema's. SWITCH: labels are constants of the value's type (converted), or null.
 * - TRY: CATCH.ctype->type is a class; CATCH.sym the variable or NULL. THROW without value is
 *   within a catch. Statements behind a jump are not reached but present. DECL_EXPR under OUT: its
 *   sym is a local, declared by it.
 * - Slices: INDEX whose args hold a RANGE or FROM_END, of type functional, or scalar if all are
 *   indices; machinery for lower when read. Their RANGEs are of type void, a NULL
 *   bound is the dimension's own. Of a string (RES_NONE): a string, or a char; the host's. As a
 * target, its base is an array variable, field or element; the value is functional, or a scalar
 * that fills.
 * - PLACEHOLDER arguments are gone: `f(x, _)` is a LAMBDA over the open parameters.
 * - DEFINE of a recurrence: sym->recurrent; uses of sym inside the value are RES_APPLY of NAME_REF.
 * A class that derives from a functional type is TY_OBJECT, final or not.
 */

/* A graph that the program embeds: AST_GRAPH nodes name it by index. The captures of the node are
 * the values of the graph's slots, in order: functional values, or scalars. */
typedef struct SemaGraph {
    FdGraph *graph;  /* after fd_front_passes */
    bool arithmetic; /* of scalars alone (fd_is_arithmetic): host code, and no evaluation */
    const struct FdNode
        *reduction;   /* NULL, or that of fd_single_reduction: host code where it is short */
    const char *text; /* fd_print of it: what the program embeds */
    Loc loc;
    /* Of a TOGETHER: the graphs whose results it has, by number, and what slots of it stand for
     * theirs (CsAhead). nparts 0: of no statement. */
    int nparts, nmapped;
    const int *parts, *slots;
    bool chained;   /* only the last part is its result, the others are for it alone */
    uint64_t dying; /* slots whose arrays nobody asks for when all statements are done */
    uint64_t inner; /* parts that are no results: their variables get others before anybody looks */
    /* It is of a turn of a loop, and there is machine code for several of these: of so many arrays, of which so many are
     * more than one with some elements set (0: not known); is its array the last of these? */
    bool of_turns, ends_turn;
    int period, whole;
} SemaGraph;

/* A loop whose turns become one evaluation (FdGraph.turns): what a turn is made of. */
typedef struct SemaTurns {
    int n;
    const int *graphs;
    int last, period; /* that of the last of its arrays, so many; -1: it is none of the program's */
    int whole;        /* of these, what is more than an array with some elements set */
} SemaTurns;

/* An evaluation that is statically known (lower/foresee/foresee.c): its composed graph, to be lowered to
 * kernels and embedded. */
typedef struct SemaEvaluation {
    FdGraph *graph;
    Loc loc;
    int nknown; /* evaluations of it of which different things are known; 0: anything may be */
    const FdKnown **known; /* of each, what is known of the graph's slots */
    int nloops;            /* whose turns it is of */
    const SemaTurns *loops;
} SemaEvaluation;

/* An argument by name, f(b: 2); who wrote it wants to know of which parameter it is. */
typedef struct SemaNamed {
    const Ast *call; /* its symbol is the function */
    Loc loc;         /* of the name */
    int parameter;
} SemaNamed;

typedef struct SemaResult {
    Ast *unit;
    Symbol **funcs; /* user functions and methods that are used, in source order; bodies annotated,
                       NULL of abstract ones */
    int nfuncs;
    Class **classes; /* those that are used; bases before derived ones; Class.id is the index */
    int nclasses;
    Symbol **statics; /* static fields, in order of initialisation: decl is the DECLARATOR */
    int nstatics;
    Symbol *
        *exports; /* of a library (UNIT.library): functions that are called from outside, in source
                         order */
    int nexports;
    Symbol **host_users; /* user functions that graphs call on the host (FdUser without body) */
    int nhost_users;
    SemaGraph *graphs;
    int ngraphs;
    SemaEvaluation *evaluations;
    int nevaluations;
    const Ast **steering; /* attributes that are to steer kernels */
    int nsteering;
    const SemaNamed *named;
    int nnamed;
    Types *types;
    Fd *fd; /* of the graphs; NULL: not lowered */
} SemaResult;

/* Analyses and lowers a unit. Errors go to diags (the result is then only good for --emit=ast). All
 * results live in arena, graphs in fd. */
SemaResult *sema_unit(Ast *unit, const Sources *sources, Diags *diags, Interner *names,
                      Arena *arena, Fd *fd);

/* The same without lowering: the annotated tree as described above, no graphs. */
SemaResult *sema_check(Ast *unit, const Sources *sources, Diags *diags, Interner *names,
                       Arena *arena);

/* The attribute of this name, or NULL: of DEFINE.attrs, FUNC.attrs, CLASS.attrs, VAR_DECL.attrs, or
 * Ast.attrs of a reduction (there is no ATTRIBUTED node). Their arguments are checked: constants,
 * or NAME_REFs that stand for themselves (type void: layouts; attributes to tune), or a device. */
const Ast *attr_find(const AstList *attrs, const char *name);
/* Do elements lie with their first index fastest? */
bool attr_turns(const AstList *attrs);
/* Does it steer kernels? As a word of FdGraph.hints: "Tile=4,2". */
bool attr_steers(const Ast *attr);
void attr_hint(Text *out, const Ast *attr);

/* What is assigned to by a[lo..hi, i, ..] = v: an INDEX with a range. */
bool sema_is_part(const Ast *target);
Ast *sema_range_of(Ast *arg); /* the range that it is, as written; NULL: an index */

/* The elementary operation of an operator; FD_OP_NONE for the others (assignment, parameter modes).
 */
FdOp sema_op(AstOp op);

/* --emit=types: each declaration with its inferred type (and domain), in source order. */
void sema_print_types(Text *out, const SemaResult *r, const Sources *sources);

#endif
