// The special template: row length fixed.
tile.kernel @rows(%x: !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>,
                  %out: !tile.view<[T, H], !tile.dtype<DT>>, %factor: f32)
    space {ROWS = [1, 4], WARPS = [1, 4], VEC = [1, 8], PERSISTENT = [0, 1]}
    where ["H mod VEC == 0", "ROWS * H <= 64 * WARPS * WAVE"]
    grid ["T ceildiv ROWS"] runtime ["T", "XS"]
    model {live = "ROWS * H ceildiv (WARPS * WAVE)", passes = "1"} {
  tile.return
}
