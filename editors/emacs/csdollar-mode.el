;;; csdollar-mode.el --- Major mode for C$  -*- lexical-binding: t -*-

;;; Commentary:
;; Highlighting, indentation and the language server (`csc lsp') for *.cs$ files.

;;; Code:

(defconst csdollar-keywords
  '("abstract" "as" "base" "break" "case" "catch" "class" "const" "continue" "default" "do" "else"
    "enum" "final" "finally" "for" "foreach" "get" "goto" "if" "in" "interface" "is" "let" "mutable" "new"
    "operator" "out" "override" "params" "private" "protected" "public" "readonly" "ref" "return"
    "set" "static" "switch" "this" "throw" "try" "type" "using" "var" "virtual" "when" "while" "with"
    "and" "ascending" "delegate" "event" "nameof" "typeof" "by" "checked" "descending" "equals" "from" "group" "init" "internal" "into"
    "join" "not" "on" "or" "orderby" "partial" "record" "required" "sealed" "select" "struct"
    "unchecked" "where" "yield"))

(defconst csdollar-types
  '("bool" "sbyte" "byte" "short" "ushort" "char" "int" "uint" "long" "ulong" "half" "float"
    "double" "string" "object" "void"))

(defvar csdollar-font-lock
  `((,(regexp-opt csdollar-keywords 'symbols) . font-lock-keyword-face)
    (,(regexp-opt csdollar-types 'symbols) . font-lock-type-face)
    (,(regexp-opt '("true" "false" "null" "_") 'symbols) . font-lock-constant-face)
    ("\\_<\\(?:class\\|interface\\|enum\\|type\\|new\\)\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-type-face)
    ("^\\s-*\\(\\[[A-Za-z].*\\]\\)\\s-*$" 1 font-lock-preprocessor-face)
    ("\\_<\\([A-Za-z_][A-Za-z0-9_]*\\)\\s-*(" 1 font-lock-function-name-face)))

(defvar csdollar-syntax
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?' "\"" table)
    (dolist (c '(?+ ?- ?= ?< ?> ?& ?| ?% ?^ ?! ?~ ??)) (modify-syntax-entry c "." table))
    table))

(defun csdollar-indent-line ()
  "Four spaces for each bracket that is open before the line; a closing one counts."
  (interactive)
  (let ((column 0) (point-behind (- (current-column) (current-indentation))))
    (save-excursion
      (back-to-indentation)
      (let ((depth (car (syntax-ppss))))
        (when (looking-at "[])}]") (setq depth (1- depth)))
        (setq column (* 4 (max 0 depth)))))
    (indent-line-to column)
    (when (> point-behind 0) (move-to-column (+ column point-behind)))))

;;;###autoload
(define-derived-mode csdollar-mode prog-mode "C$"
  "Major mode for C$ programs."
  :syntax-table csdollar-syntax
  (setq-local font-lock-defaults '(csdollar-font-lock))
  (setq-local comment-start "// " comment-end "")
  (setq-local indent-line-function #'csdollar-indent-line indent-tabs-mode nil)
  (when buffer-file-name
    (setq-local compile-command (concat "csc --check " (shell-quote-argument buffer-file-name)))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.cs\\$\\'" . csdollar-mode))

(with-eval-after-load 'eglot
  (defvar eglot-server-programs)
  (add-to-list 'eglot-server-programs '(csdollar-mode "csc" "lsp")))

(provide 'csdollar-mode)
;;; csdollar-mode.el ends here
