s/and [0-9]* more$/and N more/
