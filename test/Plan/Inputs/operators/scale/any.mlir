// The generic template: every dim at run time.
tile.kernel @any(%x: !tile.view<[T, H], !tile.dtype<DT>, [XS, 1]>,
                 %out: !tile.view<[T, H], !tile.dtype<DT>>, %factor: f32)
    space {WARPS = [2, 4], VEC = [1], PERSISTENT = [0, 1]}
    grid ["T"] runtime ["T", "H", "XS"]
    model {live = "1", passes = "2"} {
  tile.return
}
