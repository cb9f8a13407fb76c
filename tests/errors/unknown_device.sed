s/there is #0 .*; set/there is DEVICES; set/
