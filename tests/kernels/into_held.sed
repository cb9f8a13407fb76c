1b
/^  bands_/!d
s/.*/held/
q
