" C$: indentation, comments, csc as compiler and formatter, the language server where Neovim has a client.
if exists('b:did_ftplugin') | finish | endif
let b:did_ftplugin = 1
let b:undo_ftplugin = 'setlocal cindent< cinoptions< shiftwidth< expandtab< comments< commentstring< formatprg< makeprg< errorformat<'

setlocal cindent cinoptions=j1,J1 shiftwidth=4 expandtab
setlocal comments=s1:/*,mb:*,ex:*/,:///,:// commentstring=//\ %s
setlocal formatprg=csc\ fmt\ -
let &l:makeprg = 'csc --check ' . fnameescape(expand('%'))
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ note:\ %m,%-G%.%#

if has('nvim-0.8')
  lua vim.lsp.start({ name = 'csc', cmd = { 'csc', 'lsp' } })
endif
