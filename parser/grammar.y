/* The grammar of C$. Actions only build nodes (build.h). Errors never reach bison's own recovery: the
 * driver in parser.c asks the tables before it pushes a token, and repairs (repair.h). */
%code top {
#include "../base/mem.h"
#define YYMALLOC mem_alloc
#define YYFREE mem_free
}
%code requires {
#include "parse.h"
}

%code {
#include <stdlib.h>

#include "actions/build.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wfree-nonheap-object"

#define YYLLOC_DEFAULT(Current, Rhs, N)                                                            \
    ((Current) = build_span((N) ? YYRHSLOC(Rhs, 1) : YYRHSLOC(Rhs, 0), YYRHSLOC(Rhs, N)),          \
     (Current).begin = (N) ? (Current).begin : (Current).end)
#define YYMAXDEPTH 100000 /* the driver stops long before */

static void grammar_error(const Loc *loc, Parse *p, const char *message);
}

%require "3.8"
%define api.pure full
%define api.push-pull push
%define api.prefix {grammar_}
%define api.token.prefix {G_}
%define api.location.type {Loc}
%define parse.error simple
%locations
%expect 0
%parse-param { Parse *p }

%union {
    Ast *node;
    AstList list;
    const char *name;
    uint64_t count;
    AstOp op;
}

%token END 0
%token <name> NAME TYPENAME CTOR
%token <node> INT REAL CHAR STRING TEXT FORMAT
%token INTERP HOLE HOLE_END INTERP_END MISSING
%token BREAK CONST CONTINUE DELEGATE DO ELSE FALSE FOR FOREACH IF IN LET NEW OPERATOR OUT REF RETURN TRUE TYPE
%token FROM FILTER JOIN ON EQUALS INTO ORDERBY SELECT GROUP ASCENDING DESCENDING BY
%token USING VAR WHEN WHILE WITH YIELD UNDERSCORE AND_WORD OR_WORD NOT_WORD
%token ABSTRACT AS BASE CASE CATCH CLASS DEFAULT ENUM FINAL FINALLY INTERFACE IS MUTABLE NULL_ OVERRIDE
%token PRIVATE PROTECTED PUBLIC READONLY STATIC SWITCH THIS THROW TRY VIRTUAL
%token CHECKED EVENT GOTO HIDING INTERNAL NAMEOF PARTIAL RECORD REQUIRED SEALED STATIC_LAMBDA STRUCT TYPEOF UNCHECKED WHERE
%token LPAREN "(" BASE_ARGS TUPLE POSITIONAL RPAREN ")" LBRACKET "[" KEY COLLECTION LIST RBRACKET "]" LBRACE "{" PROPERTIES RBRACE "}"
%token SEMI ";" COMMA "," COLON ":" NULLABLE DOT "." COND_DOT COND_BRACKET QUESTION "?" ARROW "=>" ASSIGN "="
%token ADD_ASSIGN SUB_ASSIGN MUL_ASSIGN DIV_ASSIGN REM_ASSIGN AND_ASSIGN OR_ASSIGN XOR_ASSIGN
%token SHL_ASSIGN SHR_ASSIGN COALESCE COALESCE_ASSIGN
%token LOR LAND OR XOR AND EQ NE LT "<" TYPE_ARGS GT ">" LE GE SHL SHR DOTDOT
%token ADD "+" SUB "-" MUL "*" DIV "/" REM "%" NOT "!" BITNOT "~" INC "++" DEC "--"

%precedence QUERY_ENDS /* `.. select x into y`: the query goes on */
%precedence INTO
%right COALESCE
%left LOR
%left LAND
%left OR
%left XOR
%left AND
%left EQ NE
%precedence TYPE_ENDS /* `x is T < y`: the type goes on */
%left LT GT LE GE IS AS
%left SHL SHR
%nonassoc DOTDOT
%left ADD SUB
%left MUL DIV REM
%left OR_WORD
%left AND_WORD
%precedence NOT_WORD
%precedence COLON /* `case A | B:` is a constant */

%precedence DEFAULT /* begins the next section of a switch, no expression */
%precedence SECTION
%precedence THEN
%precedence ELSE

%type <node> stmt decl type_decl common member head generic_head class_name class_head accessors
%type <node> limit base of_head of_generic_head
%type <node> block loop embedded condition expr_opt for_init_decl body arrow bodiless filter catch section label
%type <node> new_variables declarator init vtype type type_core named_type conv_type rank tparam enum_member base_opt
%type <node> expr opexpr unary plain_unary postfix primary interp part hole new_array new_object
%type <node> arg attr braces index_arg chain tuple_type tuple_item made_type
%type <node> switch_expr with_expr collection item arm pattern shape field subpattern element
%type <node> query clauses ordered
%type <list> tuple_items arms items properties fields subpatterns elements path
%type <name> designation designation_opt
%type <list> stmts stmts1 definitions members declarators args arglist exprs exprs_opt index sizes types type_list
%type <list> ranks ranks_opt attrs attr_list parts inits tparams tparams_opt bases enum_members
%type <list> sections labels catches class_body wheres limits base_list
%type <name> member_name any_name operator own_operator
%type <count> commas mod mods
%type <op> assign_op mode

%%

unit: stmts { p->unit = build_unit(p, $1); }

stmts: %empty     { $$ = (AstList){0}; }
     | stmts stmt { $$ = build_add(p, $1, $2); }
     | stmts definitions ";"        { $$ = build_join(p, $1, $2); }
     | stmts attrs definitions ";"  { $$ = build_join(p, $1, build_attributed(p, $2, $3)); }

/* ---- declarations: one parameter list for all, decided at = { or => ---- */

stmt: USING any_name ";"    { $$ = BUILD(USING_MODULE, using_module, @$, .name = $2); }
    | USING STATIC any_name ";" { $$ = BUILD(USING_MODULE, using_module, @$, .name = $3, .members = true); }
    | decl                  { $$ = build_declared(p, @1, (AstList){0}, 0, $1); }
    | attrs decl            { $$ = build_declared(p, @1, $1, 0, $2); }
    | mods decl             { $$ = build_declared(p, @1, (AstList){0}, $1, $2); }
    | attrs mods decl       { $$ = build_declared(p, @2, $1, $2, $3); }

decl: common
    | head "=" expr ";"             { $$ = build_define(p, build_span(@1, @3), $1, $3); }
    | TYPE any_name "=" type ";"    { $$ = BUILD(TYPE_ALIAS, type_alias, @$, .name = $2, .target = $4); }
    | type_decl
/* two or more that share a type */
definitions: head "=" expr "," NAME "(" args ")" "=" expr
        { $$ = build_beside(p, build_one(p, build_define(p, build_span(@1, @3), $1, $3)), build_span(@5, @10), $5, $7, $10); }
    | definitions "," NAME "(" args ")" "=" expr
        { $$ = build_beside(p, $1, build_span(@3, @8), $3, $5, $8); }
    | vtype declarators "," NAME "(" args ")" "=" expr
        { $$ = build_beside(p, build_one(p, build_var(p, build_span(@1, @2), false, $1, $2)), build_span(@4, @9), $4, $6, $9); }
    | head "=" expr "," declarator
        { $$ = build_variable_beside(p, build_one(p, build_define(p, build_span(@1, @3), $1, $3)), $5); }
    | definitions "," declarator { $$ = build_variable_beside(p, $1, $3); }
type_decl: DELEGATE vtype NAME "(" args ")" ";" { $$ = build_delegate(p, build_span(@1, @3), $2, $3, (AstList){0}, $5); }
    | DELEGATE vtype NAME "<" tparams ">" "(" args ")" ";" { $$ = build_delegate(p, build_span(@1, @3), $2, $3, $5, $8); }
    | class_head wheres class_body    { $$ = build_class(p, $1, (AstList){0}, $2, $3); }
    | class_head ":" bases wheres class_body { $$ = build_class(p, $1, $3, $4, $5); }
    | ENUM any_name base_opt "{" enum_members "}"     { $$ = BUILD(ENUM, enum_, build_span(@1, @2), .name = $2, .base = $3, .members = $5); }
    | ENUM any_name base_opt "{" enum_members "," "}" { $$ = BUILD(ENUM, enum_, build_span(@1, @2), .name = $2, .base = $3, .members = $5); }
    | ENUM any_name base_opt "{" error "}"            { $$ = BUILD(ENUM, enum_, build_span(@1, @2), .name = $2, .base = $3); }

/* at the top level and in classes */
common: vtype declarators ";"           { $$ = build_var(p, @$, false, $1, $2); }
      | CONST vtype declarators ";"     { $$ = build_var(p, @$, true, $2, $3); }
      | head body                       { $$ = build_func(p, $1, $2); }
      | generic_head wheres body        { $$ = build_func(p, build_wheres(p, $1, $2), $3); }
head: vtype NAME "(" args ")"           { $$ = build_head(p, @$, $1, $2, (AstList){0}, $4); }
generic_head: vtype NAME "<" tparams ">" "(" args ")" { $$ = build_head(p, @$, $1, $2, $4, $7); }
body: block
    | arrow
arrow: "=>" expr ";"        { $$ = build_return(p, @2, $2); }
     | "=>" REF expr ";"    { $$ = build_return(p, @3, build_ref(p, build_span(@2, @3), $3)); }
bodiless: ";"               { $$ = NULL; }
wheres: %empty              { $$ = (AstList){0}; }
      | wheres WHERE any_name ":" limits { $$ = build_add(p, $1, build_where(p, build_span(@2, @5), $3, $5)); }
limits: limit               { $$ = build_one(p, $1); }
      | limits "," limit    { $$ = build_add(p, $1, $3); }
limit: type
     | CLASS                { $$ = BUILD(WHERE, where, @$, .mods = AST_MOD_MUTABLE); }
     | STRUCT               { $$ = BUILD(WHERE, where, @$, .mods = AST_MOD_STRUCT); }
     | NEW "(" ")"          { $$ = BUILD(WHERE, where, @$, .makes = true); }
tparams: tparam             { $$ = build_one(p, $1); }
       | tparams "," tparam { $$ = build_add(p, $1, $3); }
tparam: any_name            { $$ = BUILD(TYPE_PARAM, type_param, @$, .name = $1); }
tparams_opt: %empty         { $$ = (AstList){0}; }
           | "<" tparams ">" { $$ = $2; }

declarators: declarator                 { $$ = build_one(p, $1); }
           | declarators "," declarator { $$ = build_add(p, $1, $3); }
declarator: NAME            { $$ = build_declarator(p, @$, $1, NULL); }
          | NAME "=" init   { $$ = build_declarator(p, @$, $1, $3); }
          | NAME "=" REF expr { $$ = build_declarator(p, @$, $1, build_ref(p, build_span(@3, @4), $4)); }

init: expr
    | braces
    | opexpr "=" braces         { $$ = BUILD(ASSIGN, assign, @$, .op = AST_OP_NONE, .target = $1, .value = $3); }
    | KEY index "]" "=" init    { $$ = build_key(p, @$, $2, $5); }
braces: "{" "}"             { $$ = BUILD(INIT_LIST, init_list, @$, .items.len = 0); }
      | "{" inits "}"       { $$ = BUILD(INIT_LIST, init_list, @$, .items = $2); }
      | "{" inits "," "}"   { $$ = BUILD(INIT_LIST, init_list, @$, .items = $2); }
      | "{" error "}"       { $$ = build_bad(p, @$); }
inits: init                 { $$ = build_one(p, $1); }
     | inits "," init       { $$ = build_add(p, $1, $3); }

attrs: "[" attr_list "]"        { $$ = $2; }
     | attrs "[" attr_list "]"  { $$ = build_join(p, $1, $3); }
     | "[" error "]"            { $$ = (AstList){0}; }
attr_list: attr                 { $$ = build_one(p, $1); }
         | attr_list "," attr   { $$ = build_add(p, $1, $3); }
attr: any_name                  { $$ = build_attr(p, @$, $1, (AstList){0}); }
    | any_name "(" args ")"     { $$ = build_attr(p, @$, $1, $3); }

any_name: NAME | TYPENAME

mods: mod
    | mods mod      { $$ = build_mods(p, @2, $1, $2); }
mod: PUBLIC         { $$ = AST_MOD_PUBLIC; }
   | PRIVATE        { $$ = AST_MOD_PRIVATE; }
   | PROTECTED      { $$ = AST_MOD_PROTECTED; }
   | STATIC         { $$ = AST_MOD_STATIC; }
   | FINAL          { $$ = AST_MOD_FINAL; }
   | MUTABLE        { $$ = AST_MOD_MUTABLE; }
   | ABSTRACT       { $$ = AST_MOD_ABSTRACT; }
   | VIRTUAL        { $$ = AST_MOD_VIRTUAL; }
   | OVERRIDE       { $$ = AST_MOD_OVERRIDE; }
   | READONLY       { $$ = AST_MOD_READONLY; }
   | SEALED         { $$ = AST_MOD_SEALED; }
   | INTERNAL       { $$ = AST_MOD_INTERNAL; }
   | PARTIAL        { $$ = AST_MOD_PARTIAL; }
   | REQUIRED       { $$ = AST_MOD_REQUIRED; }
   | EVENT          { $$ = AST_MOD_EVENT; }
   | HIDING         { $$ = AST_MOD_HIDING; }
   | REF            { $$ = AST_MOD_REF; }

/* ---- classes and enums ---- */

class_name: CLASS any_name tparams_opt      { $$ = BUILD(CLASS, class_, @$, .name = $2, .tparams = $3); }
          | INTERFACE any_name tparams_opt  { $$ = BUILD(CLASS, class_, @$, .mods = AST_MOD_INTERFACE, .name = $2, .tparams = $3); }
          | STRUCT any_name tparams_opt         { $$ = BUILD(CLASS, class_, @$, .mods = AST_MOD_FINAL | AST_MOD_STRUCT, .name = $2, .tparams = $3); }
          | RECORD any_name tparams_opt         { $$ = BUILD(CLASS, class_, @$, .mods = AST_MOD_RECORD, .name = $2, .tparams = $3); }
          | RECORD CLASS any_name tparams_opt   { $$ = BUILD(CLASS, class_, @$, .mods = AST_MOD_RECORD, .name = $3, .tparams = $4); }
          | RECORD STRUCT any_name tparams_opt  { $$ = BUILD(CLASS, class_, @$, .mods = AST_MOD_FINAL | AST_MOD_STRUCT | AST_MOD_RECORD, .name = $3, .tparams = $4); }
class_head: class_name
          | class_name "(" args ")"         { $$ = build_header(p, @$, $1, $3); }
bases: base_list
     | error                { $$ = (AstList){0}; }
base_list: base             { $$ = build_one(p, $1); }
         | base_list "," base { $$ = build_add(p, $1, $3); }
base: type
    | named_type BASE_ARGS args ")" { $$ = build_call(p, @$, $1, $3); }
class_body: ";"             { $$ = (AstList){0}; }
          | "{" members "}" { $$ = $2; }
members: %empty             { $$ = (AstList){0}; }
       | members ";"
       | members member             { $$ = build_add(p, $1, build_member_of(p, @2, (AstList){0}, 0, $2)); }
       | members attrs member       { $$ = build_add(p, $1, build_member_of(p, @2, $2, 0, $3)); }
       | members mods member        { $$ = build_add(p, $1, build_member_of(p, @2, (AstList){0}, $2, $3)); }
       | members attrs mods member  { $$ = build_add(p, $1, build_member_of(p, @3, $2, $3, $4)); }
       | members error              { $$ = build_add(p, $1, build_bad(p, @2)); yyclearin; }

member: common
      | type_decl
      | head bodiless                       { $$ = build_func(p, $1, $2); }
      | generic_head wheres bodiless        { $$ = build_func(p, build_wheres(p, $1, $2), $3); }
      | of_head body                        { $$ = build_func(p, $1, $2); }
      | of_generic_head wheres body         { $$ = build_func(p, build_wheres(p, $1, $2), $3); }
      | vtype named_type "." THIS "[" args "]" "{" accessors "}" { $$ = build_of(p, build_property(p, build_span(@1, @7), $1, "this", $6, $9, NULL), $2); }
      | vtype named_type "." THIS "[" args "]" arrow { $$ = build_of(p, build_property(p, build_span(@1, @7), $1, "this", $6, build_getter(p, @8, $8), NULL), $2); }
      | vtype named_type "." NAME "{" accessors "}" { $$ = build_of(p, build_property(p, build_span(@1, @4), $1, $4, (AstList){0}, $6, NULL), $2); }
      | vtype named_type "." NAME arrow     { $$ = build_of(p, build_property(p, build_span(@1, @4), $1, $4, (AstList){0}, build_getter(p, @5, $5), NULL), $2); }
      | vtype NAME "{" accessors "}"        { $$ = build_property(p, build_span(@1, @2), $1, $2, (AstList){0}, $4, NULL); }
      | vtype NAME "{" accessors "}" "=" init ";" { $$ = build_property(p, build_span(@1, @2), $1, $2, (AstList){0}, $4, $7); }
      | vtype NAME arrow                    { $$ = build_property(p, build_span(@1, @2), $1, $2, (AstList){0}, build_getter(p, @3, $3), NULL); }
      | vtype THIS "[" args "]" "{" accessors "}" { $$ = build_property(p, build_span(@1, @5), $1, "this", $4, $7, NULL); }
      | vtype THIS "[" args "]" arrow       { $$ = build_property(p, build_span(@1, @5), $1, "this", $4, build_getter(p, @6, $6), NULL); }
      | vtype OPERATOR own_operator "(" args ")" body
            { $$ = build_func(p, build_head(p, build_span(@1, @6), $1, build_operator(p, $3), (AstList){0}, $5), $7); }
      | NAME OPERATOR conv_type "(" args ")" body
            { $$ = build_func(p, build_head(p, build_span(@1, @6), $3, build_conversion(p, @1, $1), (AstList){0}, $5), $7); }
      | CTOR "(" args ")" chain body        { $$ = build_ctor(p, build_span(@1, @4), $1, $3, $5, $6); }
of_head: vtype named_type "." NAME "(" args ")" { $$ = build_of(p, build_head(p, @$, $1, $4, (AstList){0}, $6), $2); }
of_generic_head: vtype named_type "." NAME "<" tparams ">" "(" args ")" { $$ = build_of(p, build_head(p, @$, $1, $4, $6, $9), $2); }
chain: %empty               { $$ = NULL; }
     | ":" BASE "(" args ")" { $$ = build_call(p, build_span(@2, @5), build_leaf(p, AST_BASE, @2), $4); }
     | ":" THIS "(" args ")" { $$ = build_call(p, build_span(@2, @5), build_leaf(p, AST_THIS, @2), $4); }

accessors: %empty                   { $$ = BUILD(PROPERTY, property, @$, .name = NULL); }
         | accessors NAME body      { $$ = build_accessor(p, $1, @2, 0, $2, $3); }
         | accessors NAME bodiless  { $$ = build_accessor(p, $1, @2, 0, $2, $3); }
         | accessors mods NAME body     { $$ = build_accessor(p, $1, @3, $2, $3, $4); }
         | accessors mods NAME bodiless { $$ = build_accessor(p, $1, @3, $2, $3, $4); }
         | error                    { $$ = BUILD(PROPERTY, property, @$, .name = NULL); }

base_opt: %empty            { $$ = NULL; }
        | ":" type          { $$ = $2; }
enum_members: enum_member                   { $$ = build_one(p, $1); }
            | enum_members "," enum_member  { $$ = build_add(p, $1, $3); }
enum_member: any_name           { $$ = BUILD(ENUM_MEMBER, enum_member, @$, .name = $1); }
           | any_name "=" expr  { $$ = BUILD(ENUM_MEMBER, enum_member, @$, .name = $1, .value = $3); }

/* ---- types ---- */

vtype: type
     | VAR                  { $$ = build_leaf(p, AST_TYPE_VAR, @$); }
type: type_core
    | type_core ranks       { $$ = build_ranks(p, @$, $1, $2); }
    | type_core ranks NULLABLE { $$ = BUILD(TYPE_NULLABLE, type_nullable, @$, .elem = build_ranks(p, @$, $1, $2)); }
type_core: made_type
         | type "(" types ")" { $$ = build_type_func(p, @$, $1, $3); }
         | made_type COND_BRACKET commas "]" { $$ = build_ranks(p, @$, BUILD(TYPE_NULLABLE, type_nullable, @1, .elem = $1), build_one(p, BUILD(TYPE_ARRAY, type_array, @$, .rank = $3 + 1))); }
named_type: TYPENAME %prec TYPE_ENDS        { $$ = build_type_name(p, @$, $1, (AstList){0}); }
          | TYPENAME "<" type_list closing  { $$ = build_type_name(p, @$, $1, $3); }
made_type: named_type
         | tuple_type
         | named_type NULLABLE  { $$ = BUILD(TYPE_NULLABLE, type_nullable, @$, .elem = $1); }
         | tuple_type NULLABLE  { $$ = BUILD(TYPE_NULLABLE, type_nullable, @$, .elem = $1); }
tuple_type: TUPLE tuple_items ")"   { $$ = BUILD(TYPE_TUPLE, type_tuple, @$, .items = $2); }
          | TUPLE error ")"         { $$ = build_bad(p, @$); }
tuple_items: tuple_item             { $$ = build_one(p, $1); }
           | tuple_items "," tuple_item { $$ = build_add(p, $1, $3); }
tuple_item: type            { $$ = BUILD(PARAM, param, @$, .mode = AST_OP_BY_VALUE, .ptype = $1); }
          | type any_name   { $$ = BUILD(PARAM, param, @$, .mode = AST_OP_BY_VALUE, .ptype = $1, .name = $2); }
closing: ">" | SHR /* the first of two */
conv_type: named_type
         | named_type ranks { $$ = build_ranks(p, @$, $1, $2); }
types: %empty               { $$ = (AstList){0}; }
     | type_list
     | error                { $$ = build_one(p, build_bad(p, @$)); }
type_list: type             { $$ = build_one(p, $1); }
     | type_list "," type   { $$ = build_add(p, $1, $3); }
ranks: rank                 { $$ = build_one(p, $1); }
     | ranks rank           { $$ = build_add(p, $1, $2); }
rank: "[" commas "]"        { $$ = BUILD(TYPE_ARRAY, type_array, @$, .rank = $2 + 1); }
commas: %empty              { $$ = 0; }
      | commas ","          { $$ = $1 + 1; }

/* ---- statements ---- */

loop: WHILE condition embedded              { $$ = BUILD(WHILE, while_, @$, .cond = $2, .body = $3); }
    | DO embedded WHILE condition ";"       { $$ = BUILD(DO, do_, @$, .body = $2, .cond = $4); }
    | FOR "(" exprs_opt ";" expr_opt ";" exprs_opt ")" embedded
        { $$ = BUILD(FOR, for_, @$, .init = build_expr_stmts(p, $3), .cond = $5, .step = build_expr_stmts(p, $7), .body = $9); }
    | FOR "(" for_init_decl ";" expr_opt ";" exprs_opt ")" embedded
        { $$ = BUILD(FOR, for_, @$, .init = build_one(p, $3), .cond = $5, .step = build_expr_stmts(p, $7), .body = $9); }
    | FOR "(" error ")" embedded            { $$ = build_bad(p, @$); }
    | FOREACH "(" vtype NAME IN expr ")" embedded
        { $$ = BUILD(FOREACH, foreach_, @$, .vtype = $3, .name = $4, .seq = $6, .body = $8); }
    | FOREACH "(" REF vtype NAME IN expr ")" embedded
        { $$ = build_foreach_ref(p, @$, $4, $5, $7, $9); }
    | FOREACH "(" REF READONLY vtype NAME IN expr ")" embedded
        { $$ = BUILD(FOREACH, foreach_, @$, .vtype = $5, .name = $6, .seq = build_without_span($8), .body = $10); }
    | FOREACH "(" new_variables IN expr ")" embedded
        { $$ = build_foreach(p, @$, $3, $5, $7); }
    | FOREACH "(" "(" arg "," arglist ")" IN expr ")" embedded
        { $$ = build_foreach(p, @$, build_tuple(p, build_span(@3, @7), build_join(p, build_one(p, $4), $6)), $9, $11); }
    | FOREACH "(" error ")" embedded        { $$ = build_bad(p, @$); }

stmt: block
    | ";"                                   { $$ = build_leaf(p, AST_EMPTY, @$); }
    | new_variables "=" expr ";"            { $$ = build_deconstruct(p, build_span(@1, @3), $1, $3); }
    | expr ";"                              { $$ = build_expr_stmt(p, @1, $1); }
    | UNDERSCORE "=" expr ";"               { $$ = build_discard(p, @$, $3); }
    | IF condition embedded %prec THEN      { $$ = BUILD(IF, if_, @$, .cond = $2, .then = $3); }
    | IF condition embedded ELSE embedded   { $$ = BUILD(IF, if_, @$, .cond = $2, .then = $3, .other = $5); }
    | loop
    | attrs loop                            { $$ = build_loop($1, $2); }
    | SWITCH condition "{" sections "}"     { $$ = BUILD(SWITCH, switch_, @$, .value = $2, .sections = $4); }
    | SWITCH "(" arg "," arglist ")" "{" sections "}"
        { $$ = BUILD(SWITCH, switch_, @$, .value = build_tuple(p, build_span(@2, @6), build_join(p, build_one(p, $3), $5)), .sections = $8); }
    | TRY block catches                     { $$ = build_try(p, @$, $2, $3, NULL); }
    | TRY block catches FINALLY block       { $$ = build_try(p, @$, $2, $3, $5); }
    | THROW ";"                             { $$ = BUILD(THROW, throw_, @$, .value = NULL); }
    | USING "(" for_init_decl ")" embedded  { $$ = BUILD(USING, using_, @$, .resource = $3, .body = $5); }
    | USING "(" expr ")" embedded
        { $$ = BUILD(USING, using_, @$, .resource = BUILD(EXPR_STMT, expr_stmt, @3, .expr = $3), .body = $5); }
    | USING vtype declarators ";"
        { $$ = BUILD(USING, using_, @$, .resource = build_var(p, build_span(@2, @3), false, $2, $3)); }
    | USING "(" error ")" embedded          { $$ = build_bad(p, @$); }
    | GOTO CASE expr ";"                    { $$ = BUILD(GOTO, goto_, @$, .value = $3); }
    | GOTO DEFAULT ";"                      { $$ = BUILD(GOTO, goto_, @$, .value = NULL); }
    | BREAK ";"                             { $$ = build_leaf(p, AST_BREAK, @$); }
    | CONTINUE ";"                          { $$ = build_leaf(p, AST_CONTINUE, @$); }
    | YIELD RETURN expr ";"                 { $$ = BUILD(YIELD, yield_, @$, .value = $3); }
    | YIELD BREAK ";"                       { $$ = BUILD(YIELD, yield_, @$, .value = NULL); }
    | RETURN expr_opt ";"                   { $$ = build_return(p, @$, $2); }
    | RETURN REF expr ";"                   { $$ = build_return(p, @$, build_ref(p, build_span(@2, @3), $3)); }
    | UNCHECKED block                       { $$ = build_overflow($2, AST_OVERFLOW_WRAPS); }
    | CHECKED block                         { $$ = build_overflow($2, AST_OVERFLOW_THROWS); }
    | error                                 { $$ = build_bad_stmt(p, @$); yyclearin; }

block: "{" stmts "}"            { $$ = build_block(p, @$, $2); }
embedded: stmt                  { $$ = build_embedded(p, $1); }
condition: "(" expr ")"         { $$ = $2; }
         | "(" error ")"        { $$ = build_bad(p, @$); }
for_init_decl: vtype declarators { $$ = build_var(p, @$, false, $1, $2); }
             | new_variables "=" expr { $$ = build_deconstruct(p, @$, $1, $3); }
new_variables: VAR "(" arg "," arglist ")" { $$ = build_variables(p, build_tuple(p, build_span(@2, @6), build_join(p, build_one(p, $3), $5))); }
expr_opt: %empty                { $$ = NULL; }
        | expr
exprs_opt: %empty               { $$ = (AstList){0}; }
         | exprs
exprs: expr                     { $$ = build_one(p, $1); }
     | exprs "," expr           { $$ = build_add(p, $1, $3); }

sections: %empty                { $$ = (AstList){0}; }
        | sections section      { $$ = build_add(p, $1, $2); }
        | error                 { $$ = (AstList){0}; }
section: labels stmts1 %prec SECTION { $$ = build_case(p, @$, $1, $2); }
labels: label                   { $$ = build_one(p, $1); }
      | labels label            { $$ = build_add(p, $1, $2); }
label: CASE opexpr ":"          { $$ = $2; }
     | CASE pattern ":"         { $$ = $2; }
     | CASE pattern WHEN expr ":" { $$ = BUILD(ARM, arm, @$, .pattern = $2, .guard = $4); }
     | CASE error ":"           { $$ = build_bad(p, @$); }
     | DEFAULT ":"              { $$ = build_leaf(p, AST_DEFAULT_LABEL, @$); }
stmts1: stmt                    { $$ = build_one(p, $1); }
      | stmts1 stmt             { $$ = build_add(p, $1, $2); }

catches: %empty                 { $$ = (AstList){0}; }
       | catches catch          { $$ = build_add(p, $1, $2); }
catch: CATCH filter block                   { $$ = BUILD(CATCH, catch_, @$, .filter = $2, .body = $3); }
     | CATCH "(" type ")" filter block      { $$ = BUILD(CATCH, catch_, @$, .ctype = $3, .filter = $5, .body = $6); }
     | CATCH "(" type NAME ")" filter block { $$ = BUILD(CATCH, catch_, @$, .ctype = $3, .name = $4, .filter = $6, .body = $7); }
     | CATCH "(" error ")" filter block     { $$ = build_bad(p, @$); }
filter: %empty                  { $$ = NULL; }
      | NAME "(" expr ")"       { $$ = build_word(p, @1, $1, "when") ? $3 : build_bad(p, @$); }
      | WHEN "(" expr ")"       { $$ = $3; }

/* ---- expressions: let, lambdas, ?: and = only here; the operators by their precedence below ---- */

expr: opexpr
    | opexpr "?" expr ":" expr              { $$ = BUILD(COND, cond, @$, .cond = $1, .then = $3, .other = $5); }
    | opexpr assign_op expr                 { $$ = build_assign(p, @$, $2, $1, $3); }
    | THROW expr                            { $$ = BUILD(THROW, throw_, @$, .value = $2); }
    | LET "(" args ")" expr                 { $$ = build_let(p, @$, AST_LET, $3, $5); }
    | NAME "=>" block                       { $$ = build_let(p, @$, AST_LAMBDA, build_one(p, build_name(p, @1, $1)), $3); }
    | "(" ")" "=>" block                    { $$ = build_let(p, @$, AST_LAMBDA, (AstList){0}, $4); }
    | "(" arg ")" "=>" block                { $$ = build_let(p, @$, AST_LAMBDA, build_one(p, $2), $5); }
    | "(" arg "," arglist ")" "=>" block    { $$ = build_let(p, @$, AST_LAMBDA, build_join(p, build_one(p, $2), $4), $7); }
    | UNDERSCORE "=>" block                 { $$ = build_let(p, @$, AST_LAMBDA, build_one(p, build_leaf(p, AST_PLACEHOLDER, @1)), $3); }
    | UNDERSCORE "=>" expr                  { $$ = build_let(p, @$, AST_LAMBDA, build_one(p, build_leaf(p, AST_PLACEHOLDER, @1)), $3); }
    | NAME "=>" expr                        { $$ = build_let(p, @$, AST_LAMBDA, build_one(p, build_name(p, @1, $1)), $3); }
    | "(" ")" "=>" expr                     { $$ = build_let(p, @$, AST_LAMBDA, (AstList){0}, $4); }
    | "(" arg ")" "=>" expr                 { $$ = build_let(p, @$, AST_LAMBDA, build_one(p, $2), $5); }
    | "(" arg "," arglist ")" "=>" expr     { $$ = build_let(p, @$, AST_LAMBDA, build_join(p, build_one(p, $2), $4), $7); }
    | DELEGATE block                        { $$ = build_anonymous_method(p, @$, $2); }
    | DELEGATE "(" args ")" block           { $$ = build_let(p, @$, AST_LAMBDA, $3, $5); }
    | STATIC_LAMBDA expr                    { $$ = build_static_lambda(p, @1, $2); }

    | query %prec QUERY_ENDS

/* ---- queries: what each clause makes is the source of the next (build_query.c) ---- */

query: clauses SELECT expr              { $$ = build_query_select(p, @$, $1, $3); }
     | clauses GROUP expr BY expr       { $$ = build_query_group(p, @$, $1, $3, $5); }
clauses: FROM NAME IN expr              { $$ = build_query(p, @$, $2, NULL, $4); }
       | FROM type NAME IN expr         { $$ = build_query(p, @$, $3, $2, $5); }
       | query INTO NAME                { $$ = build_query(p, @$, $3, NULL, $1); }
       | clauses FROM NAME IN expr      { $$ = build_query_from(p, @$, $1, $3, NULL, $5); }
       | clauses FROM type NAME IN expr { $$ = build_query_from(p, @$, $1, $4, $3, $6); }
       | clauses LET NAME "=" expr      { $$ = build_query_let(p, @$, $1, $3, $5); }
       | clauses FILTER expr            { $$ = build_query_where(p, @$, $1, $3); }
       | clauses JOIN NAME IN expr ON expr EQUALS expr
            { $$ = build_query_join(p, @$, $1, $3, $5, $7, $9, NULL); }
       | clauses JOIN NAME IN expr ON expr EQUALS expr INTO NAME
            { $$ = build_query_join(p, @$, $1, $3, $5, $7, $9, $11); }
       | ordered
ordered: clauses ORDERBY expr           { $$ = build_query_order(p, @$, $1, "OrderBy", $3); }
       | clauses ORDERBY expr ASCENDING { $$ = build_query_order(p, @$, $1, "OrderBy", $3); }
       | clauses ORDERBY expr DESCENDING { $$ = build_query_order(p, @$, $1, "OrderByDescending", $3); }
       | ordered "," expr               { $$ = build_query_order(p, @$, $1, "ThenBy", $3); }
       | ordered "," expr ASCENDING     { $$ = build_query_order(p, @$, $1, "ThenBy", $3); }
       | ordered "," expr DESCENDING    { $$ = build_query_order(p, @$, $1, "ThenByDescending", $3); }

assign_op: "="      { $$ = AST_OP_NONE; }
    | ADD_ASSIGN    { $$ = AST_OP_ADD; }
    | SUB_ASSIGN    { $$ = AST_OP_SUB; }
    | MUL_ASSIGN    { $$ = AST_OP_MUL; }
    | DIV_ASSIGN    { $$ = AST_OP_DIV; }
    | REM_ASSIGN    { $$ = AST_OP_REM; }
    | AND_ASSIGN    { $$ = AST_OP_AND; }
    | OR_ASSIGN     { $$ = AST_OP_OR; }
    | XOR_ASSIGN    { $$ = AST_OP_XOR; }
    | SHL_ASSIGN    { $$ = AST_OP_SHL; }
    | SHR_ASSIGN    { $$ = AST_OP_SHR; }
    | SHR ">" GE    { $$ = AST_OP_USHR; }
    | COALESCE_ASSIGN { $$ = AST_OP_COALESCE; }

opexpr: unary
    | switch_expr
    | with_expr
    | opexpr COALESCE opexpr { $$ = build_binary(p, @$, AST_OP_COALESCE, $1, $3); }
    | opexpr COALESCE THROW unary
        { $$ = build_binary(p, @$, AST_OP_COALESCE, $1, BUILD(THROW, throw_, build_span(@3, @4), .value = $4)); }
    | opexpr LOR opexpr     { $$ = build_binary(p, @$, AST_OP_LOR, $1, $3); }
    | opexpr LAND opexpr    { $$ = build_binary(p, @$, AST_OP_LAND, $1, $3); }
    | opexpr OR opexpr      { $$ = build_binary(p, @$, AST_OP_OR, $1, $3); }
    | opexpr XOR opexpr     { $$ = build_binary(p, @$, AST_OP_XOR, $1, $3); }
    | opexpr AND opexpr     { $$ = build_binary(p, @$, AST_OP_AND, $1, $3); }
    | opexpr EQ opexpr      { $$ = build_binary(p, @$, AST_OP_EQ, $1, $3); }
    | opexpr NE opexpr      { $$ = build_binary(p, @$, AST_OP_NE, $1, $3); }
    | opexpr "<" opexpr     { $$ = build_binary(p, @$, AST_OP_LT, $1, $3); }
    | opexpr ">" opexpr     { $$ = build_binary(p, @$, AST_OP_GT, $1, $3); }
    | opexpr LE opexpr      { $$ = build_binary(p, @$, AST_OP_LE, $1, $3); }
    | opexpr GE opexpr      { $$ = build_binary(p, @$, AST_OP_GE, $1, $3); }
    | opexpr IS pattern     { $$ = BUILD(IS, is_, @$, .operand = $1, .target = $3); }
    | opexpr AS type        { $$ = BUILD(AS, as_, @$, .operand = $1, .target = $3); }
    | opexpr SHL opexpr     { $$ = build_binary(p, @$, AST_OP_SHL, $1, $3); }
    | opexpr SHR ">" opexpr %prec SHR { $$ = build_binary(p, @$, AST_OP_SHR, $1, $4); }
    | opexpr SHR ">" ">" opexpr %prec SHR { $$ = build_binary(p, @$, AST_OP_USHR, $1, $5); }
    | opexpr DOTDOT opexpr  { $$ = BUILD(RANGE, range, @$, .lo = $1, .hi = $3); }
    | opexpr "+" opexpr     { $$ = build_binary(p, @$, AST_OP_ADD, $1, $3); }
    | opexpr "-" opexpr     { $$ = build_binary(p, @$, AST_OP_SUB, $1, $3); }
    | opexpr "*" opexpr     { $$ = build_binary(p, @$, AST_OP_MUL, $1, $3); }
    | opexpr "/" opexpr     { $$ = build_binary(p, @$, AST_OP_DIV, $1, $3); }
    | opexpr "%" opexpr     { $$ = build_binary(p, @$, AST_OP_REM, $1, $3); }

switch_expr: unary SWITCH "{" arms "}"      { $$ = BUILD(SWITCH_EXPR, switch_expr, @$, .value = $1, .arms = $4); }
           | unary SWITCH "{" arms "," "}"  { $$ = BUILD(SWITCH_EXPR, switch_expr, @$, .value = $1, .arms = $4); }
           | unary SWITCH "{" error "}"     { $$ = build_bad(p, @$); }
with_expr: unary WITH braces                { $$ = build_with(p, @$, $1, $3); }
         | with_expr WITH braces            { $$ = build_with(p, @$, $1, $3); }
arms: arm                   { $$ = build_one(p, $1); }
    | arms "," arm          { $$ = build_add(p, $1, $3); }
arm: pattern "=>" expr              { $$ = BUILD(ARM, arm, @$, .pattern = $1, .value = $3); }
   | pattern WHEN opexpr "=>" expr  { $$ = BUILD(ARM, arm, @$, .pattern = $1, .guard = $3, .value = $5); }

/* ---- patterns, whose words and brackets the lexer has found ---- */

pattern: opexpr %prec IS        /* a constant, or the name of a type */
       | "<" opexpr %prec IS    { $$ = BUILD(PATTERN, pattern, @$, .op = AST_OP_LT, .right = $2); }
       | ">" opexpr %prec IS    { $$ = BUILD(PATTERN, pattern, @$, .op = AST_OP_GT, .right = $2); }
       | LE opexpr %prec IS     { $$ = BUILD(PATTERN, pattern, @$, .op = AST_OP_LE, .right = $2); }
       | GE opexpr %prec IS     { $$ = BUILD(PATTERN, pattern, @$, .op = AST_OP_GE, .right = $2); }
       | NOT_WORD pattern       { $$ = BUILD(PATTERN, pattern, @$, .op = AST_OP_NOT, .right = $2); }
       | pattern AND_WORD pattern { $$ = BUILD(PATTERN, pattern, @$, .op = AST_OP_LAND, .left = $1, .right = $3); }
       | pattern OR_WORD pattern  { $$ = BUILD(PATTERN, pattern, @$, .op = AST_OP_LOR, .left = $1, .right = $3); }
       | UNDERSCORE             { $$ = build_leaf(p, AST_PLACEHOLDER, @$); }
       | type                   { $$ = BUILD(PATTERN_OF, pattern_of, @$, .target = $1); }
       | type designation       { $$ = BUILD(PATTERN_OF, pattern_of, @$, .target = $1, .name = $2); }
       | VAR designation        { $$ = build_var_pattern(p, @$, $2); }
       | VAR POSITIONAL subpatterns ")" { $$ = build_var_patterns(p, @$, $3); }
       | shape designation_opt       { $$ = build_shape(p, @$, NULL, $1, $2); }
       | type shape designation_opt  { $$ = build_shape(p, @$, $1, $2, $3); }
       | LIST elements "]" designation_opt { $$ = BUILD(PATTERN_LIST, pattern_list, @$, .items = $2, .name = $4); }
       | LIST error "]"         { $$ = build_bad(p, @$); }
designation: NAME
           | UNDERSCORE         { $$ = NULL; }
designation_opt: %empty         { $$ = NULL; }
               | designation
shape: POSITIONAL subpatterns ")"  { $$ = BUILD(PATTERN_OF, pattern_of, @$, .positional = true, .items = $2); }
     | POSITIONAL subpatterns ")" properties
         { $$ = BUILD(PATTERN_OF, pattern_of, @$, .positional = true, .items = $2, .properties = true, .fields = $4); }
     | POSITIONAL error ")"     { $$ = build_bad(p, @$); }
     | properties               { $$ = BUILD(PATTERN_OF, pattern_of, @$, .properties = true, .fields = $1); }
subpatterns: %empty             { $$ = (AstList){0}; }
           | subpattern         { $$ = build_one(p, $1); }
           | subpatterns "," subpattern { $$ = build_add(p, $1, $3); }
subpattern: pattern
          | NAME ":" pattern    { $$ = BUILD(FIELD, field, @$, .name = $1, .value = $3); }
properties: PROPERTIES "}"              { $$ = (AstList){0}; }
          | PROPERTIES fields "}"       { $$ = $2; }
          | PROPERTIES fields "," "}"   { $$ = $2; }
          | PROPERTIES error "}"        { $$ = build_one(p, build_bad(p, @$)); }
fields: field                   { $$ = build_one(p, $1); }
      | fields "," field        { $$ = build_add(p, $1, $3); }
field: path ":" pattern         { $$ = build_field_pattern(p, @$, $1, $3); }
path: NAME                      { $$ = build_one(p, build_name(p, @1, $1)); }
    | path "." NAME             { $$ = build_add(p, $1, build_name(p, @3, $3)); }
elements: %empty                { $$ = (AstList){0}; }
        | element               { $$ = build_one(p, $1); }
        | elements "," element  { $$ = build_add(p, $1, $3); }
element: pattern
       | DOTDOT                 { $$ = BUILD(PATTERN_REST, pattern_rest, @$, .pattern = NULL); }
       | DOTDOT pattern         { $$ = BUILD(PATTERN_REST, pattern_rest, @$, .pattern = $2); }

unary: plain_unary
    | attrs plain_unary     { $$ = BUILD(ATTRIBUTED, attributed, @$, .attrs = $1, .operand = $2); }
plain_unary: postfix
    | DEFAULT               { $$ = build_leaf(p, AST_DEFAULT, @$); }
    | DEFAULT "!"           { $$ = build_leaf(p, AST_DEFAULT, @$); }
    | new_array
    | "-" unary             { $$ = build_unary(p, @$, AST_OP_NEG, $2); }
    | "!" unary             { $$ = build_unary(p, @$, AST_OP_NOT, $2); }
    | "~" unary             { $$ = build_unary(p, @$, AST_OP_BITNOT, $2); }
    | XOR unary             { $$ = build_unary(p, @$, AST_OP_FROM_END, $2); }
    | "++" unary            { $$ = build_incdec(p, @$, AST_OP_ADD, false, $2); }
    | "--" unary            { $$ = build_incdec(p, @$, AST_OP_SUB, false, $2); }
    | "(" type ")" unary    { $$ = BUILD(CAST, cast, @$, .target = $2, .operand = $4); }
    | "+" unary             { $$ = build_reduce(p, @$, AST_OP_ADD, $2); }
    | "*" unary             { $$ = build_reduce(p, @$, AST_OP_MUL, $2); }

postfix: primary
    | new_object
    | new_array "." member_name { $$ = build_member(p, @$, $1, $3); }
    | postfix "." member_name   { $$ = build_member(p, @$, $1, $3); }
    | postfix COND_DOT member_name   { $$ = build_cond_access(p, @$, $1, $3, (AstList){0}); }
    | postfix COND_BRACKET index "]" { $$ = build_cond_access(p, @$, $1, NULL, $3); }
    | postfix TYPE_ARGS type_list closing "(" args ")" { $$ = build_type_args(p, build_call(p, @$, $1, $6), $3); }
    | postfix "(" args ")"      { $$ = build_call(p, @$, $1, $3); }
    | postfix "[" index "]"     { $$ = build_index(p, @$, $1, $3); }
    | postfix "!"               { $$ = $1; } /* what it says of null is taken on trust */
    | postfix "++"              { $$ = build_incdec(p, @$, AST_OP_ADD, true, $1); }
    | postfix "--"              { $$ = build_incdec(p, @$, AST_OP_SUB, true, $1); }
member_name: NAME

/* Slices: a range may lack its bounds, and ^ counts them from the end. */
index: index_arg            { $$ = build_one(p, $1); }
     | index "," index_arg  { $$ = build_add(p, $1, $3); }
     | error                { $$ = build_one(p, build_bad(p, @$)); }
index_arg: expr
         | UNDERSCORE               { $$ = build_left_out(p, @$); }
         | DOTDOT                   { $$ = BUILD(RANGE, range, @$, .lo = NULL); }
         | DOTDOT opexpr            { $$ = BUILD(RANGE, range, @$, .hi = $2); }
         | opexpr DOTDOT            { $$ = BUILD(RANGE, range, @$, .lo = $1); }

primary: NAME               { $$ = build_name(p, @$, $1); }
    | INT
    | REAL
    | CHAR
    | STRING
    | TRUE                  { $$ = BUILD(BOOL_LIT, bool_lit, @$, .value = true); }
    | FALSE                 { $$ = BUILD(BOOL_LIT, bool_lit, @$, .value = false); }
    | NULL_                 { $$ = build_leaf(p, AST_NULL_LIT, @$); }
    | THIS                  { $$ = build_leaf(p, AST_THIS, @$); }
    | BASE "." member_name  { $$ = build_member(p, @$, build_leaf(p, AST_BASE, @1), $3); }
    | BASE "[" index "]"    { $$ = build_index(p, @$, build_leaf(p, AST_BASE, @1), $3); }
    | UNCHECKED "(" expr ")" { $$ = build_overflow($3, AST_OVERFLOW_WRAPS); }
    | CHECKED "(" expr ")"  { $$ = build_overflow($3, AST_OVERFLOW_THROWS); }
    | TYPEOF "(" type ")"   { $$ = BUILD(TYPEOF, typeof_, @$, .target = $3); }
    | NAMEOF "(" expr ")"   { $$ = BUILD(NAMEOF, nameof, @$, .operand = $3); }
    | NAMEOF "(" named_type ")" { $$ = BUILD(NAMEOF, nameof, @$, .operand = $3); }
    | DEFAULT "(" type ")"  { $$ = BUILD(DEFAULT, default_, @$, .target = $3); }
    | MISSING               { $$ = build_bad(p, @$); }
    | interp
    | collection
    | named_type "." member_name { $$ = build_member(p, @$, $1, $3); }
    | OPERATOR operator     { $$ = build_name(p, @$, build_operator(p, $2)); }
    | "(" arg ")"           { $$ = build_plain(p, $2); }
    | "(" arg "," arglist ")" { $$ = build_tuple(p, @$, build_join(p, build_one(p, $2), $4)); }
    | "(" error ")"         { $$ = build_bad(p, @$); }

/* [1, 2, ..others] */
collection: COLLECTION "]"              { $$ = BUILD(COLLECTION, collection, @$, .items.len = 0); }
          | COLLECTION items "]"        { $$ = BUILD(COLLECTION, collection, @$, .items = $2); }
          | COLLECTION items "," "]"    { $$ = BUILD(COLLECTION, collection, @$, .items = $2); }
          | COLLECTION error "]"        { $$ = build_bad(p, @$); }
items: item                 { $$ = build_one(p, $1); }
     | items "," item       { $$ = build_add(p, $1, $3); }
item: expr
    | DOTDOT opexpr         { $$ = BUILD(SPREAD, spread, @$, .operand = $2); }

operator: "+" { $$ = "+"; } | "-" { $$ = "-"; } | "*" { $$ = "*"; } | "/" { $$ = "/"; }
    | "%" { $$ = "%"; } | AND { $$ = "&"; } | OR { $$ = "|"; } | XOR { $$ = "^"; }
    | LAND { $$ = "&&"; } | LOR { $$ = "||"; } | "!" { $$ = "!"; } | "~" { $$ = "~"; }
    | EQ { $$ = "=="; } | NE { $$ = "!="; } | "<" { $$ = "<"; } | ">" { $$ = ">"; }
    | LE { $$ = "<="; } | GE { $$ = ">="; } | SHL { $$ = "<<"; } | SHR ">" { $$ = ">>"; }

own_operator: operator | SHR ">" ">" { $$ = ">>>"; } | "++" { $$ = "++"; } | "--" { $$ = "--"; }
    | TRUE { $$ = "true"; } | FALSE { $$ = "false"; }

new_object: NEW named_type "(" args ")"         { $$ = build_new(p, @$, $2, $4, NULL); }
          | NEW named_type "(" args ")" braces  { $$ = build_new(p, @$, $2, $4, $6); }
          | NEW named_type braces               { $$ = build_new(p, @$, $2, (AstList){0}, $3); }
          | NEW braces                          { $$ = build_anonymous(p, @$, $2); }
          | NEW "(" args ")"                    { $$ = build_new(p, @$, build_leaf(p, AST_TYPE_VAR, @1), $3, NULL); }
          | NEW "(" args ")" braces             { $$ = build_new(p, @$, build_leaf(p, AST_TYPE_VAR, @1), $3, $5); }
new_array: NEW made_type "[" sizes "]" ranks_opt          { $$ = build_new_array(p, @$, $2, $4, 0, $6, NULL); }
         | NEW made_type "[" sizes "]" ranks_opt braces   { $$ = build_new_array(p, @$, $2, $4, 0, $6, $7); }
         | NEW made_type "[" commas "]" ranks_opt braces  { $$ = build_new_array(p, @$, $2, (AstList){0}, $4 + 1, $6, $7); }
         | NEW made_type COND_BRACKET sizes "]" ranks_opt { $$ = build_new_array(p, @$, BUILD(TYPE_NULLABLE, type_nullable, @2, .elem = $2), $4, 0, $6, NULL); }
         | NEW made_type COND_BRACKET commas "]" ranks_opt braces { $$ = build_new_array(p, @$, BUILD(TYPE_NULLABLE, type_nullable, @2, .elem = $2), (AstList){0}, $4 + 1, $6, $7); }
         | NEW "[" commas "]" braces    { $$ = build_new_array(p, @$, build_leaf(p, AST_TYPE_VAR, @1), (AstList){0}, $3 + 1, (AstList){0}, $5); }
sizes: exprs
     | error                { $$ = build_one(p, build_bad(p, @$)); }
ranks_opt: %empty           { $$ = (AstList){0}; }
         | ranks

/* An argument, a parameter, a bound variable or the operand of a reduction: what encloses it decides. */
args: %empty                { $$ = (AstList){0}; }
    | arglist
    | error                 { $$ = build_one(p, build_bad(p, @$)); }
arglist: arg                { $$ = build_one(p, $1); }
       | arglist "," arg    { $$ = build_add(p, $1, $3); }
arg: expr
    | expr ":" expr         { $$ = build_constraint(p, @$, $1, $3); }
    | expr ":" mode unary   { $$ = build_constraint(p, @$, $1, build_unary(p, build_span(@3, @4), $3, $4)); }
    | expr ":" mode type NAME { $$ = build_constraint(p, @$, $1, build_out(p, build_span(@3, @5), $3, $4, $5)); }
    | expr ":" mode VAR NAME { $$ = build_constraint(p, @$, $1, build_out(p, build_span(@3, @5), $3, build_leaf(p, AST_TYPE_VAR, @4), $5)); }
    | UNDERSCORE            { $$ = build_leaf(p, AST_PLACEHOLDER, @$); }
    | type NAME             { $$ = build_binder(p, @$, $1, build_one(p, build_name(p, @2, $2)), NULL); }
    | type NAME ":" expr    { $$ = build_binder(p, @$, $1, build_one(p, build_name(p, @2, $2)), $4); }
    | type NAME "=" expr    { $$ = BUILD(PARAM, param, @$, .mode = AST_OP_BY_VALUE, .ptype = $1, .name = $2, .init = $4); }
    | mode type NAME "=" expr { $$ = BUILD(PARAM, param, @$, .mode = $1, .ptype = $2, .name = $3, .init = $5); }
    | NAME type NAME        { $$ = build_rest(p, @$, $1, $2, $3); }
    | VAR NAME              { $$ = build_binder(p, @$, build_leaf(p, AST_TYPE_VAR, @1), build_one(p, build_name(p, @2, $2)), NULL); }
    | mode type NAME        { $$ = BUILD(PARAM, param, @$, .mode = $1, .ptype = $2, .name = $3); }
    | mode VAR NAME         { $$ = BUILD(PARAM, param, @$, .mode = $1, .ptype = build_leaf(p, AST_TYPE_VAR, @2), .name = $3); }
    | mode UNDERSCORE       { $$ = BUILD(PARAM, param, @$, .mode = $1, .ptype = build_leaf(p, AST_TYPE_VAR, @2), .name = build_unnamed(p)); }
    | mode VAR UNDERSCORE   { $$ = BUILD(PARAM, param, @$, .mode = $1, .ptype = build_leaf(p, AST_TYPE_VAR, @2), .name = build_unnamed(p)); }
    | mode type UNDERSCORE  { $$ = BUILD(PARAM, param, @$, .mode = $1, .ptype = $2, .name = build_unnamed(p)); }
    | THIS type NAME        { $$ = BUILD(PARAM, param, @$, .mode = AST_OP_BY_VALUE, .ptype = $2, .name = $3, .extends = true); }
    | mode unary            { $$ = build_unary(p, @$, $1, $2); }
    | IN type NAME          { $$ = BUILD(PARAM, param, @$, .mode = AST_OP_BY_VALUE, .ptype = $2, .name = $3); }
    | IN type NAME "=" expr { $$ = BUILD(PARAM, param, @$, .mode = AST_OP_BY_VALUE, .ptype = $2, .name = $3, .init = $5); }
    | IN unary              { $$ = $2; }
mode: REF                   { $$ = AST_OP_REF; }
    | OUT                   { $$ = AST_OP_OUT; }

interp: INTERP parts INTERP_END { $$ = BUILD(INTERP, interp, @$, .parts = $2); }
parts: %empty               { $$ = (AstList){0}; }
     | parts part           { $$ = build_add(p, $1, $2); }
part: TEXT | hole
hole: HOLE expr HOLE_END                    { $$ = build_hole(p, @$, $2, NULL, NULL); }
    | HOLE expr FORMAT HOLE_END             { $$ = build_hole(p, @$, $2, NULL, $3); }
    | HOLE expr "," expr HOLE_END           { $$ = build_hole(p, @$, $2, $4, NULL); }
    | HOLE expr "," expr FORMAT HOLE_END    { $$ = build_hole(p, @$, $2, $4, $5); }
    | HOLE error HOLE_END                   { $$ = build_bad(p, @$); }

%%

/* ---- the tables, for parser.c and repair.c ---- */

static const int code_of[] = {
#define TOKEN(id, text, class) [TOK_##id] = G_##id,
#include "tokens.def"
#undef TOKEN
};

int grammar_action(int state, int kind)
{
    int symbol = kind == GRAMMAR_ERROR ? YYSYMBOL_YYerror : YYTRANSLATE(code_of[kind]);
    int at = yypact[state];
    if (!yypact_value_is_default(at)) {
        at += symbol;
        if (at >= 0 && at <= YYLAST && yycheck[at] == symbol)
            return yytable_value_is_error(yytable[at]) ? 0 : yytable[at];
    }
    return -yydefact[state];
}

int grammar_rule_length(int rule)
{
    return yyr2[rule];
}

int grammar_after(int state, int rule)
{
    int symbol = yyr1[rule] - YYNTOKENS, at = yypgoto[symbol] + state;
    return at >= 0 && at <= YYLAST && yycheck[at] == state ? yytable[at] : yydefgoto[symbol];
}

size_t grammar_depth(const grammar_pstate *ps)
{
    return (size_t)(ps->yyssp - ps->yyss) + 1;
}

int grammar_state(const grammar_pstate *ps, size_t i)
{
    return ps->yyss[i];
}

uint32_t grammar_begin(const grammar_pstate *ps, size_t i)
{
    return ps->yyls[i].begin;
}

void grammar_pop(grammar_pstate *ps, size_t depth)
{
    size_t n = grammar_depth(ps) - depth;
    ps->yyssp -= n;
    ps->yyvsp -= n;
    ps->yylsp -= n;
    ps->yystate = *ps->yyssp;
}

grammar_pstate *grammar_start(void)
{
    grammar_pstate *ps = grammar_pstate_new();
    if (!ps) abort();
    ps->yyss[0] = 0;
    return ps;
}

void grammar_end(grammar_pstate *ps)
{
    grammar_pstate_delete(ps);
}

/* Only tokens that fit are pushed, and GRAMMAR_ERROR; false once the parser has accepted or failed. */
bool grammar_push(grammar_pstate *ps, Parse *p, int kind, Loc loc, const TokenValue *value)
{
    YYSTYPE v = {.node = NULL};
    switch (kind) {
    case TOK_INT:
    case TOK_REAL:
    case TOK_CHAR:
    case TOK_STRING:
    case TOK_TEXT:
    case TOK_FORMAT: v.node = build_literal(p, loc, kind, *value); break;
    case TOK_NAME:
    case TOK_TYPENAME:
    case TOK_CTOR: v.name = value->text; break;
    default: break;
    }
    int code = kind == GRAMMAR_ERROR ? G_GRAMMAR_error : code_of[kind];
    return grammar_push_parse(ps, code, &v, &loc, p) == YYPUSH_MORE;
}

static void grammar_error(const Loc *loc, Parse *p, const char *message)
{
    parse_error(p, *loc, DIAG_SYNTAX, "%s", message);
    p->stop = true;
}
