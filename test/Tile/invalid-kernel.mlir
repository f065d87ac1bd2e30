// RUN: lathe-opt %s --split-input-file --verify-diagnostics

// expected-error@+2 {{expected 'grid' with the number of work items}}
tile.kernel @no_grid(%x: !tile.view<[8], f32>)
    space {VEC = [1]} {
  tile.return
}

// -----

// expected-error@+1 {{has 0 grid axes, expected 1 to 3}}
tile.kernel @grid_none(%x: !tile.view<[8], f32>) grid [] {
  tile.return
}

// -----

// expected-error@+1 {{has 4 grid axes, expected 1 to 3}}
tile.kernel @grid_many(%x: !tile.view<[8], f32>) grid ["1", "1", "1", "1"] {
  tile.return
}

// -----

// expected-error@+1 {{column 3}}
tile.kernel @grid_text(%x: !tile.view<[8], f32>) grid ["T ROWS"] {
  tile.return
}

// -----

tile.kernel @space_twice(%x: !tile.view<[8], f32>)
    // expected-error@+1 {{'VEC' is given twice}}
    space {VEC = [1], VEC = [2]} grid ["1"] {
  tile.return
}

// -----

// expected-error@+1 {{has no values for schedule parameter 'VEC'}}
tile.kernel @space_empty(%x: !tile.view<[8], f32>) space {VEC = []} grid ["1"] {
  tile.return
}

// -----

// expected-error@+1 {{has no values for schedule parameter 'VEC'}}
"tile.kernel"() <{function_type = () -> (), grid = [#problem.expr<"1">], space = [{VEC = 1 : i64}], sym_name = "space_kind"}> ({
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{has a space 1 : i64, expected parameters and their values}}
"tile.kernel"() <{function_type = () -> (), grid = [#problem.expr<"1">], space = [1 : i64], sym_name = "space_value"}> ({
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{lists no space, expected at least one}}
"tile.kernel"() <{function_type = () -> (), grid = [#problem.expr<"1">], space = [], sym_name = "no_space"}> ({
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{has no values for schedule parameter 'VEC'}}
tile.kernel @second_empty(%x: !tile.view<[8], f32>) space {VEC = [1]}, {VEC = []} grid ["1"] {
  tile.return
}

// -----

// expected-error@+1 {{has schedule parameter 'ROWS' in one space and not in another}}
tile.kernel @first_only(%x: !tile.view<[8], f32>) space {ROWS = [1], VEC = [1]}, {VEC = [2]} grid ["1"] {
  tile.return
}

// -----

// expected-error@+1 {{has schedule parameter 'ROWS' in one space and not in another}}
tile.kernel @last_only(%x: !tile.view<[8], f32>) space {VEC = [2]}, {VEC = [1]}, {ROWS = [1], VEC = [1]} grid ["1"] {
  tile.return
}

// -----

// expected-error@+1 {{has a grid or condition that is not an expression}}
"tile.kernel"() <{function_type = () -> (), grid = [1 : i64], sym_name = "grid_kind"}> ({
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{has a grid or condition that is not an expression}}
"tile.kernel"() <{function_type = () -> (), grid = [#problem.expr<"1">], where = ["T"], sym_name = "where_kind"}> ({
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{has a model hint 'live' that is not an expression}}
"tile.kernel"() <{function_type = () -> (), grid = [#problem.expr<"1">], model = {live = 1 : i64}, sym_name = "model_kind"}> ({
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{has results, expected none}}
"tile.kernel"() <{function_type = () -> f32, grid = [#problem.expr<"1">], sym_name = "results"}> ({
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{entry block must have 1 arguments to match function signature}}
"tile.kernel"() <{function_type = (f32) -> (), grid = [#problem.expr<"1">], sym_name = "arguments"}> ({
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{has a body that does not end in tile.return}}
tile.kernel @terminator(%x: !tile.view<[8], f32>) grid ["1"] {
  %c0 = arith.constant 0 : index
}

// -----

// expected-error@+1 {{has an argument of 'tensor<4xf32>', expected a view or a number}}
tile.kernel @argument(%x: tensor<4xf32>) grid ["1"] {
  tile.return
}

// -----

// expected-error@+1 {{has a view after a scalar argument}}
tile.kernel @order(%s: f32, %x: !tile.view<[8], f32>) grid ["1"] {
  tile.return
}

// -----

// expected-error@+1 {{has 2 run-time dims but 1 arguments}}
tile.kernel @dims_count(%T: index) grid ["1"] attributes {dims = ["T", "H"]} {
  tile.return
}

// -----

// expected-error@+1 {{passes run-time dim "T" as 'f32', expected index}}
tile.kernel @dims_type(%x: !tile.view<[8], f32>, %T: f32) grid ["1"] attributes {dims = ["T"]} {
  tile.return
}

// -----

// expected-error@+1 {{lists run-time dim "T" twice}}
tile.kernel @dims_twice(%a: index, %b: index) grid ["1"] attributes {dims = ["T", "T"]} {
  tile.return
}

// -----

// expected-error@+1 {{names argument 1 in 'may_alias', expected a view}}
tile.kernel @alias_scalar(%x: !tile.view<[8], f32>, %s: f32) grid ["1"] attributes {may_alias = array<i64: 0, 1>} {
  tile.return
}

// -----

// expected-error@+1 {{names argument -1 in 'may_alias', expected a view}}
tile.kernel @alias_negative(%x: !tile.view<[8], f32>) grid ["1"] attributes {may_alias = array<i64: -1>} {
  tile.return
}

// -----

// expected-error@+1 {{has 48 threads, expected a positive multiple of 'wave'}}
tile.kernel @threads(%x: !tile.view<[8], f32>) grid ["1"] attributes {threads = 48 : i64, wave = 32 : i64} {
  tile.return
}

// -----

// expected-error@+1 {{has 32 threads, expected a positive multiple of 'wave'}}
tile.kernel @no_wave(%x: !tile.view<[8], f32>) grid ["1"] attributes {threads = 32 : i64} {
  tile.return
}

// -----

func.func @return() {
  // expected-error@+1 {{'tile.return' op expects parent op 'tile.kernel'}}
  tile.return
}
