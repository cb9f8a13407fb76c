autocmd BufNewFile,BufRead *.cs$ setfiletype csdollar
