/^building /d
/^kernel /d
s/_[0-9]* *\([0-9]*\) .*/ \1/
