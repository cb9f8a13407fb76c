" C$
if exists('b:current_syntax') | finish | endif

syn keyword csdollarConditional if else switch case default when with
syn keyword csdollarRepeat      for foreach while do in
syn keyword csdollarException   try catch finally throw
syn keyword csdollarStatement   break continue goto return
syn keyword csdollarStructure   class interface enum type
syn keyword csdollarModifier    abstract final mutable override private protected public readonly static virtual const
syn keyword csdollarKeyword     as base is let new operator out params ref this using var get set
syn keyword csdollarKeyword     delegate event nameof typeof and ascending by checked descending equals from group init internal into join not on or orderby partial record required sealed select struct unchecked where yield
syn keyword csdollarType        bool sbyte byte short ushort char int uint long ulong half float double string object void
syn keyword csdollarBoolean     true false
syn keyword csdollarConstant    null
syn match   csdollarKeyword     /\<_\>/
syn match   csdollarFunction    /\<\h\w*\ze\s*(/
syn match   csdollarOperator    /=>\|??\|\.\./
syn match   csdollarAttribute   /^\s*\[\h\w*\%((.*)\)\?\]/

syn match   csdollarNumber      /\<\d[0-9_]*\%(\.\d[0-9_]*\)\?\%([eE][+-]\?\d[0-9_]*\)\?\%([fFdDhH]\|[uU]\?[lL]\?\)\>/
syn match   csdollarNumber      /\<0[xX][0-9a-fA-F_]\+[uU]\?[lL]\?\>/
syn match   csdollarNumber      /\<0[bB][01_]\+[uU]\?[lL]\?\>/

syn match   csdollarEscape      contained /\\\%(u\x\{4}\|U\x\{8}\|x\x\{1,4}\|.\)/
syn region  csdollarString      start=/"/ skip=/\\./ end=/"/ oneline contains=csdollarEscape
syn region  csdollarString      start=/@"/ skip=/""/ end=/"/
syn region  csdollarString      start=/"""/ end=/"""/
syn region  csdollarInterp      start=/\$"/ skip=/\\./ end=/"/ oneline contains=csdollarEscape,csdollarHole
syn region  csdollarInterp      start=/\$@"\|@\$"/ skip=/""/ end=/"/ contains=csdollarHole
syn match   csdollarBraces      contained /{{\|}}/
syn region  csdollarHole        contained matchgroup=csdollarSpecial start=/{\%({\)\@!/ end=/}/ contains=TOP
syn match   csdollarCharacter   /'\%([^'\\]\|\\[^']\+\|\\'\)'/ contains=csdollarEscape

syn keyword csdollarTodo        contained TODO FIXME XXX
syn match   csdollarComment     +//.*$+ contains=csdollarTodo,@Spell
syn region  csdollarComment     start=+/\*+ end=+\*/+ contains=csdollarTodo,@Spell
syn match   csdollarDoc         +///.*$+ contains=@Spell

hi def link csdollarConditional Conditional
hi def link csdollarRepeat      Repeat
hi def link csdollarException   Exception
hi def link csdollarStatement   Statement
hi def link csdollarStructure   Structure
hi def link csdollarModifier    StorageClass
hi def link csdollarKeyword     Keyword
hi def link csdollarType        Type
hi def link csdollarBoolean     Boolean
hi def link csdollarConstant    Constant
hi def link csdollarFunction    Function
hi def link csdollarOperator    Operator
hi def link csdollarAttribute   PreProc
hi def link csdollarNumber      Number
hi def link csdollarEscape      SpecialChar
hi def link csdollarBraces      SpecialChar
hi def link csdollarSpecial     Special
hi def link csdollarString      String
hi def link csdollarInterp      String
hi def link csdollarCharacter   Character
hi def link csdollarTodo        Todo
hi def link csdollarComment     Comment
hi def link csdollarDoc         SpecialComment

let b:current_syntax = 'csdollar'
