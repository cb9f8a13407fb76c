/^[^ ]*:[0-9]*:[0-9]* /d
s/^  //
/^building /d
/^kernel /d
/^map/d
/^reduce_combine/d
s/_[0-9]* *\([0-9]*\) .*/ \1/
