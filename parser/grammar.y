/* The grammar of C$. Actions only build nodes (build.h). Errors never reach bison's own recovery: the
 * driver in parser.c asks the tables before it pushes a token, and repairs (repair.h). */
%code requires {
#include "parse.h"
}

%code {
#include <stdlib.h>

#include "build.h"

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
%token <name> NAME TYPENAME
%token <node> INT REAL CHAR STRING TEXT FORMAT
%token INTERP HOLE HOLE_END INTERP_END MISSING
%token BREAK CONST CONTINUE DO ELSE FALSE FOR FOREACH IF IN LET NEW OPERATOR OUT REF RETURN TRUE TYPE
%token USING VAR WHILE UNDERSCORE
%token ABSTRACT AS BASE CASE CATCH CLASS DEFAULT ENUM FINAL FINALLY INTERFACE IS MUTABLE NULL_ OVERRIDE
%token PRIVATE PROTECTED PUBLIC READONLY STATIC SWITCH THIS THROW TRY VIRTUAL
%token LPAREN "(" RPAREN ")" LBRACKET "[" RBRACKET "]" LBRACE "{" RBRACE "}"
%token SEMI ";" COMMA "," COLON ":" DOT "." QUESTION "?" ARROW "=>" ASSIGN "="
%token ADD_ASSIGN SUB_ASSIGN MUL_ASSIGN DIV_ASSIGN REM_ASSIGN AND_ASSIGN OR_ASSIGN XOR_ASSIGN
%token SHL_ASSIGN SHR_ASSIGN COALESCE COALESCE_ASSIGN
%token LOR LAND OR XOR AND EQ NE LT "<" GT ">" LE GE SHL SHR DOTDOT
%token ADD "+" SUB "-" MUL "*" DIV "/" REM "%" NOT "!" BITNOT "~" INC "++" DEC "--"

%left LOR
%left LAND
%left OR
%left XOR
%left AND
%left EQ NE
%left LT GT LE GE
%left SHL SHR
%nonassoc DOTDOT
%left ADD SUB
%left MUL DIV REM

%precedence THEN
%precedence ELSE

%type <node> stmt decl block embedded condition expr_opt for_init_decl
%type <node> declarator init vtype type type_core rank
%type <node> expr opexpr unary postfix primary interp part hole new_array new_object
%type <node> arg attr braces
%type <list> stmts declarators args arglist exprs exprs_opt index types type_list ranks ranks_opt
%type <list> attrs attr_list parts inits
%type <name> member any_name operator
%type <count> commas
%type <op> assign_op mode

%%

unit: stmts { p->unit = build_unit(p, $1); }

stmts: %empty     { $$ = (AstList){0}; }
     | stmts stmt { $$ = build_add(p, $1, $2); }

/* ---- declarations: one parameter list for all, decided at = { or => ---- */

stmt: USING any_name ";"          { $$ = build_using(p, @$, $2); }
    | TYPE any_name "=" type ";"  { $$ = build_alias(p, @$, $2, $4); }
    | decl
    | attrs decl                  { $$ = build_attributed(p, @1, $1, $2); }

decl: vtype declarators ";"                       { $$ = build_var(p, @$, false, $1, $2); }
    | CONST vtype declarators ";"                 { $$ = build_var(p, @$, true, $2, $3); }
    | vtype NAME "(" args ")" "=" expr ";"        { $$ = build_define(p, build_span(@1, @7), $1, $2, $4, $7); }
    | vtype NAME "(" args ")" block               { $$ = build_func(p, build_span(@1, @5), $1, $2, $4, $6); }
    | vtype NAME "(" args ")" "=>" expr ";"       { $$ = build_func(p, build_span(@1, @5), $1, $2, $4, build_return(p, @7, $7)); }

declarators: declarator                 { $$ = build_one(p, $1); }
           | declarators "," declarator { $$ = build_add(p, $1, $3); }
declarator: NAME            { $$ = build_declarator(p, @$, $1, NULL); }
          | NAME "=" init   { $$ = build_declarator(p, @$, $1, $3); }

init: expr
    | braces
braces: "{" "}"             { $$ = build_init_list(p, @$, (AstList){0}); }
      | "{" inits "}"       { $$ = build_init_list(p, @$, $2); }
      | "{" inits "," "}"   { $$ = build_init_list(p, @$, $2); }
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

/* ---- types ---- */

vtype: type
     | VAR                  { $$ = build_leaf(p, AST_TYPE_VAR, @$); }
type: type_core
    | type_core ranks       { $$ = build_ranks(p, @$, $1, $2); }
type_core: TYPENAME         { $$ = build_type_name(p, @$, $1); }
         | type "(" types ")" { $$ = build_type_func(p, @$, $1, $3); }
types: %empty               { $$ = (AstList){0}; }
     | type_list
     | error                { $$ = build_one(p, build_bad(p, @$)); }
type_list: type             { $$ = build_one(p, $1); }
     | type_list "," type   { $$ = build_add(p, $1, $3); }
ranks: rank                 { $$ = build_one(p, $1); }
     | ranks rank           { $$ = build_add(p, $1, $2); }
rank: "[" commas "]"        { $$ = build_rank(p, @$, $2 + 1); }
commas: %empty              { $$ = 0; }
      | commas ","          { $$ = $1 + 1; }

/* ---- statements ---- */

stmt: block
    | ";"                                   { $$ = build_leaf(p, AST_EMPTY, @$); }
    | expr ";"                              { $$ = build_expr_stmt(p, @1, $1); }
    | IF condition embedded %prec THEN      { $$ = build_if(p, @$, $2, $3, NULL); }
    | IF condition embedded ELSE embedded   { $$ = build_if(p, @$, $2, $3, $5); }
    | WHILE condition embedded              { $$ = build_while(p, @$, $2, $3); }
    | DO embedded WHILE condition ";"       { $$ = build_do(p, @$, $2, $4); }
    | FOR "(" exprs_opt ";" expr_opt ";" exprs_opt ")" embedded
                                            { $$ = build_for(p, @$, build_expr_stmts(p, $3), $5, build_expr_stmts(p, $7), $9); }
    | FOR "(" for_init_decl ";" expr_opt ";" exprs_opt ")" embedded
                                            { $$ = build_for(p, @$, build_one(p, $3), $5, build_expr_stmts(p, $7), $9); }
    | FOR "(" error ")" embedded            { $$ = build_bad(p, @$); }
    | FOREACH "(" vtype NAME IN expr ")" embedded
                                            { $$ = build_foreach(p, @$, $3, $4, $6, $8); }
    | FOREACH "(" error ")" embedded        { $$ = build_bad(p, @$); }
    | BREAK ";"                             { $$ = build_leaf(p, AST_BREAK, @$); }
    | CONTINUE ";"                          { $$ = build_leaf(p, AST_CONTINUE, @$); }
    | RETURN expr_opt ";"                   { $$ = build_return(p, @$, $2); }
    | error                                 { $$ = build_bad_stmt(p, @$); yyclearin; }

block: "{" stmts "}"            { $$ = build_block(p, @$, $2); }
embedded: stmt                  { $$ = build_embedded(p, $1); }
condition: "(" expr ")"         { $$ = $2; }
         | "(" error ")"        { $$ = build_bad(p, @$); }
for_init_decl: vtype declarators { $$ = build_var(p, @$, false, $1, $2); }
expr_opt: %empty                { $$ = NULL; }
        | expr
exprs_opt: %empty               { $$ = (AstList){0}; }
         | exprs
exprs: expr                     { $$ = build_one(p, $1); }
     | exprs "," expr           { $$ = build_add(p, $1, $3); }

/* ---- expressions: let, lambdas, ?: and = only here; the operators by their precedence below ---- */

expr: opexpr
    | opexpr "?" expr ":" expr              { $$ = build_cond(p, @$, $1, $3, $5); }
    | opexpr assign_op expr                 { $$ = build_assign(p, @$, $2, $1, $3); }
    | LET "(" args ")" expr                 { $$ = build_let(p, @$, AST_LET, $3, $5); }
    | NAME "=>" expr                        { $$ = build_let(p, @$, AST_LAMBDA, build_one(p, build_name(p, @1, $1)), $3); }
    | "(" ")" "=>" expr                     { $$ = build_let(p, @$, AST_LAMBDA, (AstList){0}, $4); }
    | "(" arg ")" "=>" expr                 { $$ = build_let(p, @$, AST_LAMBDA, build_one(p, $2), $5); }
    | "(" arg "," arglist ")" "=>" expr     { $$ = build_let(p, @$, AST_LAMBDA, build_join(p, build_one(p, $2), $4), $7); }

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

opexpr: unary
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
    | opexpr SHL opexpr     { $$ = build_binary(p, @$, AST_OP_SHL, $1, $3); }
    | opexpr SHR ">" opexpr %prec SHR { $$ = build_binary(p, @$, AST_OP_SHR, $1, $4); }
    | opexpr DOTDOT opexpr  { $$ = build_range(p, @$, $1, $3); }
    | opexpr "+" opexpr     { $$ = build_binary(p, @$, AST_OP_ADD, $1, $3); }
    | opexpr "-" opexpr     { $$ = build_binary(p, @$, AST_OP_SUB, $1, $3); }
    | opexpr "*" opexpr     { $$ = build_binary(p, @$, AST_OP_MUL, $1, $3); }
    | opexpr "/" opexpr     { $$ = build_binary(p, @$, AST_OP_DIV, $1, $3); }
    | opexpr "%" opexpr     { $$ = build_binary(p, @$, AST_OP_REM, $1, $3); }

unary: postfix
    | new_array
    | "-" unary             { $$ = build_unary(p, @$, AST_OP_NEG, $2); }
    | "!" unary             { $$ = build_unary(p, @$, AST_OP_NOT, $2); }
    | "~" unary             { $$ = build_unary(p, @$, AST_OP_BITNOT, $2); }
    | "++" unary            { $$ = build_incdec(p, @$, AST_OP_ADD, false, $2); }
    | "--" unary            { $$ = build_incdec(p, @$, AST_OP_SUB, false, $2); }
    | "(" type ")" unary    { $$ = build_cast(p, @$, $2, $4); }
    | "+" unary             { $$ = build_reduce(p, @$, AST_OP_ADD, (AstList){0}, $2); }
    | "*" unary             { $$ = build_reduce(p, @$, AST_OP_MUL, (AstList){0}, $2); }
    | "+" "(" arg "," arglist ")" { $$ = build_reduce(p, @$, AST_OP_ADD, build_join(p, build_one(p, $3), $5), NULL); }
    | "*" "(" arg "," arglist ")" { $$ = build_reduce(p, @$, AST_OP_MUL, build_join(p, build_one(p, $3), $5), NULL); }

postfix: primary
    | new_object
    | new_array "." member  { $$ = build_member(p, @$, $1, $3); }
    | postfix "." member    { $$ = build_member(p, @$, $1, $3); }
    | postfix "(" args ")"  { $$ = build_call(p, @$, $1, $3); }
    | postfix "[" index "]" { $$ = build_index(p, @$, $1, $3); }
    | postfix "++"          { $$ = build_incdec(p, @$, AST_OP_ADD, true, $1); }
    | postfix "--"          { $$ = build_incdec(p, @$, AST_OP_SUB, true, $1); }
index: exprs
     | error                { $$ = build_one(p, build_bad(p, @$)); }
member: NAME

primary: NAME               { $$ = build_name(p, @$, $1); }
    | INT
    | REAL
    | CHAR
    | STRING
    | TRUE                  { $$ = build_bool(p, @$, true); }
    | FALSE                 { $$ = build_bool(p, @$, false); }
    | MISSING               { $$ = build_bad(p, @$); }
    | interp
    | TYPENAME "." member   { $$ = build_member(p, @$, build_type_name(p, @1, $1), $3); }
    | OPERATOR operator     { $$ = build_operator_name(p, @$, $2); }
    | "(" arg ")"           { $$ = build_plain(p, $2); }
    | "(" error ")"         { $$ = build_bad(p, @$); }

operator: "+" { $$ = "+"; } | "-" { $$ = "-"; } | "*" { $$ = "*"; } | "/" { $$ = "/"; }
    | "%" { $$ = "%"; } | AND { $$ = "&"; } | OR { $$ = "|"; } | XOR { $$ = "^"; }
    | LAND { $$ = "&&"; } | LOR { $$ = "||"; } | "!" { $$ = "!"; } | "~" { $$ = "~"; }
    | EQ { $$ = "=="; } | NE { $$ = "!="; } | "<" { $$ = "<"; } | ">" { $$ = ">"; }
    | LE { $$ = "<="; } | GE { $$ = ">="; } | SHL { $$ = "<<"; } | SHR ">" { $$ = ">>"; }

new_object: NEW TYPENAME "(" args ")"   { $$ = build_new(p, @$, build_type_name(p, @2, $2), $4); }
new_array: NEW TYPENAME "[" index "]" ranks_opt          { $$ = build_new_array(p, @$, build_type_name(p, @2, $2), $4, 0, $6, NULL); }
         | NEW TYPENAME "[" index "]" ranks_opt braces   { $$ = build_new_array(p, @$, build_type_name(p, @2, $2), $4, 0, $6, $7); }
         | NEW TYPENAME "[" commas "]" ranks_opt braces  { $$ = build_new_array(p, @$, build_type_name(p, @2, $2), (AstList){0}, $4 + 1, $6, $7); }
         | NEW "[" commas "]" braces    { $$ = build_new_array(p, @$, build_leaf(p, AST_TYPE_VAR, @1), (AstList){0}, $3 + 1, (AstList){0}, $5); }
ranks_opt: %empty           { $$ = (AstList){0}; }
         | ranks

/* An argument, a parameter, a bound variable or the operand of a reduction: what encloses it decides. */
args: %empty                { $$ = (AstList){0}; }
    | arglist
    | error                 { $$ = build_one(p, build_bad(p, @$)); }
arglist: arg                { $$ = build_one(p, $1); }
       | arglist "," arg    { $$ = build_add(p, $1, $3); }
arg: expr
    | expr ":" expr         { $$ = build_binder(p, @$, NULL, build_one(p, $1), $3); }
    | "(" arg "," arglist ")" ":" expr { $$ = build_binder(p, @$, NULL, build_join(p, build_one(p, $2), $4), $7); }
    | UNDERSCORE            { $$ = build_leaf(p, AST_PLACEHOLDER, @$); }
    | type NAME             { $$ = build_binder(p, @$, $1, build_one(p, build_name(p, @2, $2)), NULL); }
    | type NAME ":" expr    { $$ = build_binder(p, @$, $1, build_one(p, build_name(p, @2, $2)), $4); }
    | mode type NAME        { $$ = build_param(p, @$, $1, $2, $3); }
    | mode unary            { $$ = build_unary(p, @$, $1, $2); }
mode: REF                   { $$ = AST_OP_REF; }
    | OUT                   { $$ = AST_OP_OUT; }

interp: INTERP parts INTERP_END { $$ = build_interp(p, @$, $2); }
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
    case TOK_TYPENAME: v.name = value->text; break;
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
