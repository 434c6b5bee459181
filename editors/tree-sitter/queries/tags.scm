(block kind: (path) name: (path) @name) @definition.class
(block base: (path) @name) @reference.class
(unit_decl name: (path) @name) @definition.constant
