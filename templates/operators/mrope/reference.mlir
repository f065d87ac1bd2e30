// Pairs of each head of q and k turn by the angle of their frequency:
// (a, b) -> (round(a c - b s), round(b c + a s)), from unrounded inputs. Dims from
// R on are copied.
// Axis of frequency i: 0 if i < S0, 1 if i < S0 + S1, else 2; interleaved: 1 if
// i mod 3 = 1 and i <= 3 S1, 2 if i mod 3 = 2 and i <= 3 S2, else 0.
func.func private @axis(%i: index, %S0: index, %S1: index, %S2: index,
                        %is_interleaved: i1) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %s01 = arith.addi %S0, %S1 : index
  %in_first = arith.cmpi ult, %i, %S0 : index
  %in_second = arith.cmpi ult, %i, %s01 : index
  %later = arith.select %in_second, %c1, %c2 : index
  %sectioned = arith.select %in_first, %c0, %later : index
  %remainder = arith.remui %i, %c3 : index
  %is_second = arith.cmpi eq, %remainder, %c1 : index
  %is_third = arith.cmpi eq, %remainder, %c2 : index
  %second_end = arith.muli %S1, %c3 : index
  %third_end = arith.muli %S2, %c3 : index
  %below_second = arith.cmpi ule, %i, %second_end : index
  %below_third = arith.cmpi ule, %i, %third_end : index
  %takes_second = arith.andi %is_second, %below_second : i1
  %takes_third = arith.andi %is_third, %below_third : i1
  %third_or_none = arith.select %takes_third, %c2, %c0 : index
  %interleaved = arith.select %takes_second, %c1, %third_or_none : index
  %result = arith.select %is_interleaved, %interleaved, %sectioned : index
  return %result : index
}

func.func private @rotate(%x: memref<?x?x!tile.dtype<DT>>,
                          %out: memref<?x?x!tile.dtype<DT>>,
                          %cos: memref<3x?x?xf32>, %sin: memref<3x?x?xf32>,
                          %t: index, %heads: index, %HS: index, %R: index,
                          %S0: index, %S1: index, %S2: index,
                          %is_interleaved: i1, %is_neox: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %half = arith.divui %R, %c2 : index
  %rotated = arith.muli %half, %c2 : index
  scf.for %head = %c0 to %heads step %c1 {
    %base = arith.muli %head, %HS : index
    scf.for %i = %c0 to %half step %c1 {
      %axis = func.call @axis(%i, %S0, %S1, %S2, %is_interleaved)
          : (index, index, index, index, i1) -> index
      %c_narrow = memref.load %cos[%axis, %t, %i] : memref<3x?x?xf32>
      %s_narrow = memref.load %sin[%axis, %t, %i] : memref<3x?x?xf32>
      %c = arith.extf %c_narrow : f32 to f64
      %s = arith.extf %s_narrow : f32 to f64
      %twice = arith.muli %i, %c2 : index
      %after = arith.addi %twice, %c1 : index
      %far = arith.addi %i, %half : index
      %a_dim = arith.select %is_neox, %i, %twice : index
      %b_dim = arith.select %is_neox, %far, %after : index
      %a_column = arith.addi %base, %a_dim : index
      %b_column = arith.addi %base, %b_dim : index
      %a_narrow = memref.load %x[%t, %a_column] : memref<?x?x!tile.dtype<DT>>
      %b_narrow = memref.load %x[%t, %b_column] : memref<?x?x!tile.dtype<DT>>
      %a = tile.convert %a_narrow : !tile.dtype<DT> -> f64
      %b = tile.convert %b_narrow : !tile.dtype<DT> -> f64
      %ac = arith.mulf %a, %c : f64
      %bs = arith.mulf %b, %s : f64
      %bc = arith.mulf %b, %c : f64
      %as = arith.mulf %a, %s : f64
      %first = arith.subf %ac, %bs : f64
      %second = arith.addf %bc, %as : f64
      %first_rounded = tile.convert %first : f64 -> !tile.dtype<DT>
      %second_rounded = tile.convert %second : f64 -> !tile.dtype<DT>
      memref.store %first_rounded, %out[%t, %a_column] : memref<?x?x!tile.dtype<DT>>
      memref.store %second_rounded, %out[%t, %b_column] : memref<?x?x!tile.dtype<DT>>
    }
    scf.for %d = %rotated to %HS step %c1 {
      %column = arith.addi %base, %d : index
      %v = memref.load %x[%t, %column] : memref<?x?x!tile.dtype<DT>>
      memref.store %v, %out[%t, %column] : memref<?x?x!tile.dtype<DT>>
    }
  }
  return
}

func.func @reference(%q: memref<?x?x!tile.dtype<DT>>,
                     %k: memref<?x?x!tile.dtype<DT>>,
                     %cos: memref<3x?x?xf32>, %sin: memref<3x?x?xf32>,
                     %q_out: memref<?x?x!tile.dtype<DT>>,
                     %k_out: memref<?x?x!tile.dtype<DT>>,
                     %T: index, %HQ: index, %HKV: index, %HS: index, %R: index,
                     %S0: index, %S1: index, %S2: index,
                     %interleaved: index, %neox: index)
    attributes {lathe.rows} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %is_interleaved = arith.cmpi ne, %interleaved, %c0 : index
  %is_neox = arith.cmpi ne, %neox, %c0 : index
  scf.parallel (%t) = (%c0) to (%T) step (%c1) {
    func.call @rotate(%q, %q_out, %cos, %sin, %t, %HQ, %HS, %R, %S0, %S1, %S2,
                      %is_interleaved, %is_neox)
        : (memref<?x?x!tile.dtype<DT>>, memref<?x?x!tile.dtype<DT>>, memref<3x?x?xf32>,
           memref<3x?x?xf32>, index, index, index, index, index, index, index, i1, i1) -> ()
    func.call @rotate(%k, %k_out, %cos, %sin, %t, %HKV, %HS, %R, %S0, %S1, %S2,
                      %is_interleaved, %is_neox)
        : (memref<?x?x!tile.dtype<DT>>, memref<?x?x!tile.dtype<DT>>, memref<3x?x?xf32>,
           memref<3x?x?xf32>, index, index, index, index, index, index, index, i1, i1) -> ()
    scf.reduce
  }
  return
}
