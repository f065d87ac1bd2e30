// Rows hold HQ query, HKV key and HKV value heads of D values. With a bias each
// value is first round(qkv + qkv_bias). Pairs (i, i + R / 2) of q and k turn by
// the angle f32(position) * f_i; what lies from R on, and v, pass through.
// f_i = 1 / base^(2 i / R), the angle, its sine and its cosine are f32, each
// operation rounded once; a rotated value is rounded once to the result.
func.func private @angle(%position: i32, %i: index, %R: index, %base: f32) -> f64 {
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %twice = arith.muli %i, %c2 : index
  %twice_int = arith.index_cast %twice : index to i64
  %r_int = arith.index_cast %R : index to i64
  %numerator = arith.sitofp %twice_int : i64 to f32
  %denominator = arith.sitofp %r_int : i64 to f32
  %exponent = arith.divf %numerator, %denominator : f32
  %exponent64 = arith.extf %exponent : f32 to f64
  %base64 = arith.extf %base : f32 to f64
  %power64 = math.powf %base64, %exponent64 : f64
  %power = arith.truncf %power64 : f64 to f32
  %frequency = arith.divf %one, %power : f32
  %p = arith.sitofp %position : i32 to f32
  %angle = arith.mulf %p, %frequency : f32
  %angle64 = arith.extf %angle : f32 to f64
  return %angle64 : f64
}

func.func private @biased(%qkv: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                          %bias: memref<?x!tile.dtype<DT>>, %t: index,
                          %column: index, %has_bias: i1) -> !tile.dtype<DT> {
  %plain = memref.load %qkv[%t, %column] : memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>
  %result = scf.if %has_bias -> (!tile.dtype<DT>) {
    %v = tile.convert %plain : !tile.dtype<DT> -> f64
    %b_narrow = memref.load %bias[%column] : memref<?x!tile.dtype<DT>>
    %b = tile.convert %b_narrow : !tile.dtype<DT> -> f64
    %sum = arith.addf %v, %b : f64
    %rounded = tile.convert %sum : f64 -> !tile.dtype<DT>
    scf.yield %rounded : !tile.dtype<DT>
  } else {
    scf.yield %plain : !tile.dtype<DT>
  }
  return %result : !tile.dtype<DT>
}

// Heads of %out come from the row's heads from %first on; those of a v have R = 0.
func.func private @split(%qkv: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                         %bias: memref<?x!tile.dtype<DT>>,
                         %out: memref<?x?x?x!tile.dtype<DT>>, %t: index,
                         %position: i32, %first: index, %D: index, %R: index,
                         %base: f32, %has_bias: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %half = arith.divui %R, %c2 : index
  %rotated = arith.muli %half, %c2 : index
  %heads = memref.dim %out, %c1 : memref<?x?x?x!tile.dtype<DT>>
  scf.for %head = %c0 to %heads step %c1 {
    %source = arith.addi %first, %head : index
    %column = arith.muli %source, %D : index
    scf.for %i = %c0 to %half step %c1 {
      %angle = func.call @angle(%position, %i, %R, %base)
          : (i32, index, index, f32) -> f64
      %cos64 = math.cos %angle : f64
      %sin64 = math.sin %angle : f64
      %cos32 = arith.truncf %cos64 : f64 to f32
      %sin32 = arith.truncf %sin64 : f64 to f32
      %cos = arith.extf %cos32 : f32 to f64
      %sin = arith.extf %sin32 : f32 to f64
      %j = arith.addi %i, %half : index
      %i_column = arith.addi %column, %i : index
      %j_column = arith.addi %column, %j : index
      %a_narrow = func.call @biased(%qkv, %bias, %t, %i_column, %has_bias)
          : (memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>, memref<?x!tile.dtype<DT>>,
             index, index, i1) -> !tile.dtype<DT>
      %b_narrow = func.call @biased(%qkv, %bias, %t, %j_column, %has_bias)
          : (memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>, memref<?x!tile.dtype<DT>>,
             index, index, i1) -> !tile.dtype<DT>
      %a = tile.convert %a_narrow : !tile.dtype<DT> -> f64
      %b = tile.convert %b_narrow : !tile.dtype<DT> -> f64
      %a_cos = arith.mulf %a, %cos : f64
      %b_sin = arith.mulf %b, %sin : f64
      %b_cos = arith.mulf %b, %cos : f64
      %a_sin = arith.mulf %a, %sin : f64
      %low = arith.subf %a_cos, %b_sin : f64
      %high = arith.addf %b_cos, %a_sin : f64
      %low_rounded = tile.convert %low : f64 -> !tile.dtype<DT>
      %high_rounded = tile.convert %high : f64 -> !tile.dtype<DT>
      memref.store %low_rounded, %out[%t, %head, %i] : memref<?x?x?x!tile.dtype<DT>>
      memref.store %high_rounded, %out[%t, %head, %j] : memref<?x?x?x!tile.dtype<DT>>
    }
    scf.for %d = %rotated to %D step %c1 {
      %d_column = arith.addi %column, %d : index
      %v = func.call @biased(%qkv, %bias, %t, %d_column, %has_bias)
          : (memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>, memref<?x!tile.dtype<DT>>,
             index, index, i1) -> !tile.dtype<DT>
      memref.store %v, %out[%t, %head, %d] : memref<?x?x?x!tile.dtype<DT>>
    }
  }
  return
}

func.func @reference(%qkv: memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>,
                     %positions: memref<?xi32>,
                     %qkv_bias: memref<?x!tile.dtype<DT>>,
                     %q: memref<?x?x?x!tile.dtype<DT>>,
                     %k: memref<?x?x?x!tile.dtype<DT>>,
                     %v: memref<?x?x?x!tile.dtype<DT>>,
                     %T: index, %HQ: index, %HKV: index, %D: index, %R: index,
                     %XS: index, %base: f32, %with_bias: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %has_bias = arith.cmpi ne, %with_bias, %c0 : index
  %v_first = arith.addi %HQ, %HKV : index
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    %position = memref.load %positions[%t] : memref<?xi32>
    func.call @split(%qkv, %qkv_bias, %q, %t, %position, %c0, %D, %R, %base, %has_bias)
        : (memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>, memref<?x!tile.dtype<DT>>,
           memref<?x?x?x!tile.dtype<DT>>, index, i32, index, index, index, f32, i1) -> ()
    func.call @split(%qkv, %qkv_bias, %k, %t, %position, %HQ, %D, %R, %base, %has_bias)
        : (memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>, memref<?x!tile.dtype<DT>>,
           memref<?x?x?x!tile.dtype<DT>>, index, i32, index, index, index, f32, i1) -> ()
    func.call @split(%qkv, %qkv_bias, %v, %t, %position, %v_first, %D, %c0, %base, %has_bias)
        : (memref<?x?x!tile.dtype<DT>, strided<[?, 1]>>, memref<?x!tile.dtype<DT>>,
           memref<?x?x?x!tile.dtype<DT>>, index, i32, index, index, index, f32, i1) -> ()
    scf.reduce
  }
  return
}
