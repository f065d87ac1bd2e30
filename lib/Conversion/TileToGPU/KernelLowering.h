//===- KernelLowering.h - One kernel, from tiles to threads -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CONVERSION_KERNELLOWERING_H
#define LATHE_LIB_CONVERSION_KERNELLOWERING_H

#include "Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace lathe {

/// Which elements of a tile one thread holds: per dimension, `count(d)` slots;
/// slot s is element `base(d) + roundOffset(d, s / vector) + s % vector`.
class Distribution {
public:
  explicit Distribution(mlir::RankedTensorType type);

  int64_t rank() const { return type.getRank(); }
  int64_t extent(int64_t dim) const { return type.getShape()[dim]; }
  int64_t vectorSize(int64_t dim) const;
  int64_t rounds(int64_t dim) const;
  int64_t count(int64_t dim) const { return rounds(dim) * vectorSize(dim); }
  /// First element of round `round`, relative to the thread's base.
  int64_t roundOffset(int64_t dim, int64_t round) const;
  /// Whether some thread holds nothing in round `round` along `dim`.
  bool mayBeInert(int64_t dim, int64_t round) const;
  /// The layout's dimension that tile dimension `dim` is dealt along.
  int64_t layoutDim(int64_t dim) const;
  tile::LayoutInterface layout() const { return dealt; }

  mlir::VectorType threadType(mlir::Type element) const;
  mlir::VectorType threadType() const {
    return threadType(type.getElementType());
  }

private:
  mlir::RankedTensorType type;
  tile::LayoutInterface dealt;
  int64_t sliced = -1;
};

/// How threads hold and move an element: 8-bit floats, which LLVM IR has not,
/// as their bits.
mlir::Type storageType(mlir::Type element);

struct RowPiece;

/// Rewrites the body of one tile.kernel into a gpu.func.
class KernelLowering {
public:
  KernelLowering(tile::KernelOp kernel, mlir::OpBuilder &builder)
      : kernel(kernel), builder(builder) {}

  /// Builds the gpu.module before the kernel; reports errors on its operations.
  mlir::LogicalResult run();

private:
  mlir::gpu::GPUFuncOp createFunction(mlir::gpu::GPUModuleOp module);
  mlir::LogicalResult checkViews();
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerElementwise(mlir::Operation *op);
  void lowerBroadcast(tile::BroadcastOp op);

  // LowerFlow.cpp
  mlir::LogicalResult lowerFor(mlir::Operation *op);
  mlir::LogicalResult lowerIf(mlir::Operation *op);
  mlir::Type carriedType(mlir::Type tile, mlir::Type lowered);
  mlir::Value carry(mlir::Location loc, mlir::Value tile, mlir::Value value);
  /// Maps what a loop or branch has of tiles, where the builder stands.
  void mapCarried(mlir::ValueRange tiles, mlir::ValueRange values);

  // LowerConvert.cpp
  mlir::LogicalResult lowerConvert(tile::ConvertOp op);
  mlir::LogicalResult lowerColumns(tile::ColumnsOp op);
  void lowerSplat(tile::SplatOp op);
  mlir::LogicalResult lowerConstant(mlir::arith::ConstantOp op);

  // LowerPieces.cpp
  struct Access;
  struct Piece;
  static llvm::SmallVector<int64_t>
  tileDims(tile::ViewType view, std::optional<llvm::ArrayRef<int64_t>> along);
  static Piece pieceOf(tile::LoadOp op);
  static Piece pieceOf(tile::CopyAsyncOp op);
  static Piece pieceOf(tile::PrefetchOp op);
  static Piece pieceOf(tile::StoreAsyncOp op);
  Access analyzeAccess(mlir::Location loc, const Piece &piece,
                       mlir::RankedTensorType type);
  /// Where the rows of a piece end.
  mlir::Value rowEnd(mlir::Location loc, const Piece &piece);
  /// Elements from the start of a view to `position` along `dim`.
  mlir::Value placeOf(mlir::Location loc, tile::ViewType view, int64_t dim,
                      mlir::Value position);
  /// The same of a piece, which may be in pages there.
  mlir::Value placeOf(mlir::Location loc, const Piece &piece, int64_t dim,
                      mlir::Value position);
  /// The view's page of row `position` of a piece in pages, and the row in it.
  std::pair<mlir::Value, mlir::Value>
  pageOf(mlir::Location loc, const Piece &piece, mlir::Value position);
  /// The view's row of row `position` of a piece in pages.
  mlir::Value pagedRow(mlir::Location loc, const Piece &piece,
                       mlir::Value position);
  /// True where `offsets`, which `place` gets as values, are inside the view;
  /// null if always.
  mlir::Value placeInside(mlir::Location loc, tile::ViewType view,
                          mlir::ValueRange offsets,
                          llvm::SmallVectorImpl<mlir::Value> &place);
  /// Elements from a view's first one to the one at a place.
  mlir::Value offsetInView(mlir::Location loc, tile::ViewType view,
                           mlir::ValueRange place);
  /// The element at `offsets`, or zero where `inside` does not hold. `inOrder`:
  /// not later than what follows, so that several are under way together.
  mlir::Value loadElement(mlir::Location loc,
                          mlir::TypedValue<tile::ViewType> view,
                          mlir::ValueRange offsets, mlir::Value inside = {},
                          bool inOrder = false);
  /// The address `elements` (an index) behind `pointer`.
  mlir::Value elementPointer(mlir::Location loc, mlir::Type element,
                             mlir::Value pointer, mlir::Value elements);
  void lowerLoadElement(tile::LoadElementOp op);
  void lowerIota(tile::IotaOp op);
  mlir::LogicalResult lowerCompare(mlir::arith::CmpIOp op);

  // LowerAccess.cpp
  mlir::LogicalResult lowerLoad(tile::LoadOp op);
  mlir::LogicalResult lowerStore(tile::StoreOp op);
  mlir::LogicalResult lowerInBounds(tile::InBoundsOp op);
  bool isProvenInBounds(mlir::Value offset, int64_t extent, const Expr &bound);
  int64_t getDivisor(mlir::Value value);
  /// Elements to move at once in the last dimension.
  int64_t getAccessWidth(const Access &access, const Piece &piece);
  mlir::Value rowPointer(mlir::Location loc, const Access &access,
                         mlir::ArrayRef<int64_t> slots);
  /// This thread's position along a row, `displacement` elements on.
  mlir::Value positionInRow(mlir::Location loc, const Access &access,
                            int64_t displacement);
  /// Of rows that have runs: elements from a row's start to each of `parts`;
  /// else a null for each.
  llvm::SmallVector<mlir::Value> placesInRow(mlir::Location loc,
                                             const Access &access,
                                             llvm::ArrayRef<RowPiece> parts);
  /// Address of a part of the row that starts at `rowBase`.
  mlir::Value partPointer(mlir::Location loc, const Access &access,
                          mlir::Value rowBase, const RowPiece &part,
                          mlir::Value place);
  mlir::Value cutWords(mlir::Location loc, mlir::Value left,
                       mlir::Value loaded);
  /// Zero in place of what is behind the end that cuts rows.
  mlir::Value cutRow(mlir::Location loc, const Access &access,
                     const RowPiece &part, mlir::Value loaded);
  /// True where `slot` of `dim` is inside tile and view; null if always.
  mlir::Value guard(mlir::Location loc, const Access &access, int64_t dim,
                    int64_t round, int64_t element = 0);

  /// True where `slots`, one per leading dimension, are inside, and `also`
  /// holds if it is given; null if always.
  mlir::Value guardSlots(mlir::Location loc, const Access &access,
                         mlir::ArrayRef<int64_t> slots, mlir::Value also = {});

  // LowerFragments.cpp
  /// A tile of fragments as one whose threads have 16 bytes of a row side by
  /// side; null if it cannot be.
  mlir::RankedTensorType inRowPieces(mlir::RankedTensorType type);
  void transposeInQuad(mlir::Location loc,
                       llvm::MutableArrayRef<mlir::Value> words);
  /// What a thread has of such a tile.
  mlir::Value gatherRowPieces(mlir::Location loc, mlir::Value value);

  // LowerOperands.cpp
  /// Whether a load goes by whole words, without branches, and that.
  bool loadsByWords(tile::LoadOp op, const Access &access, int64_t width);
  void lowerLoadByWords(tile::LoadOp op, const Access &access, int64_t width);
  mlir::Value loadWordsIf(mlir::Location loc, mlir::Value inside,
                          mlir::Value pointer, int64_t count,
                          llvm::StringRef how, bool isConstant = false);

  // LowerCopies.cpp, LowerGroups.cpp
  mlir::LogicalResult lowerCopyByThreads(tile::CopyAsyncOp op);
  mlir::LogicalResult lowerLoadGroups(tile::LoadGroupsOp op);

  // LowerReduce.cpp
  mlir::LogicalResult lowerReduce(tile::ReduceOp op);
  mlir::LogicalResult lowerScalar(tile::ScalarOp op);
  mlir::Value combine(mlir::Location loc, tile::ReduceKind kind, mlir::Value a,
                      mlir::Value b);
  mlir::Value neutral(mlir::Location loc, tile::ReduceKind kind,
                      mlir::Type type);
  mlir::Value reduceInThread(tile::ReduceOp op, const Distribution &from,
                             mlir::Value vector, mlir::ArrayRef<int64_t> slots);
  void reduceAcrossWarps(tile::ReduceOp op,
                         mlir::MutableArrayRef<mlir::Value> partials);

  // LowerShared.cpp
  mlir::Value sharedBase(mlir::Location loc);
  /// Maps the result of `op` to its place, which tile-plan-shared has set.
  mlir::LogicalResult lowerPlace(mlir::Operation *op,
                                 std::optional<int64_t> offset);
  /// Address of the slot `slot` behind `base`; slots are of `bytes` each.
  mlir::Value slotAddress(mlir::Location loc, mlir::Value base,
                          mlir::Value slot, int64_t bytes);
  void lowerSlot(tile::SlotOp op);
  void lowerWriteShared(tile::WriteSharedOp op);
  void lowerClearRows(tile::ClearRowsOp op);
  void writeShared(mlir::Location loc, mlir::RankedTensorType from,
                   mlir::Value value, tile::SharedType type,
                   mlir::Value buffer);
  void storeMatrices(tile::WriteSharedOp op);
  /// Address of byte `column` of row `row + moreRows`, `moreRows` being a
  /// multiple of 8, so that the swizzle is that of `row`.
  mlir::Value sharedPointer(mlir::Location loc, tile::SharedType type,
                            mlir::Value buffer, mlir::Value row,
                            int64_t moreRows, mlir::Value column);

  // LowerAsync.cpp
  mlir::LogicalResult collectTensorMaps();
  void describeTensorMaps();
  mlir::LogicalResult lowerAsync(mlir::Operation *op);
  mlir::LogicalResult lowerCopyAsync(tile::CopyAsyncOp op);
  mlir::LogicalResult lowerInitMbarriers(tile::InitMbarriersOp op);
  void lowerMbarrierWait(tile::MbarrierWaitOp op);
  void lowerMbarrierArrive(tile::MbarrierArriveOp op);
  void lowerPrefetch(tile::PrefetchOp op);
  mlir::LogicalResult lowerPrefetchElements(tile::PrefetchElementsOp op);
  void lowerStoreAsync(tile::StoreAsyncOp op);
  mlir::Value mbarrierAt(mlir::Location loc, mlir::Value mbarriers,
                         mlir::Value slot);
  /// The boxes that make up the first `rows` rows of a buffer: byte offset in
  /// shared memory, and row and column of the piece of the view.
  struct Box {
    int64_t bytes, row, column;
  };
  /// At most `run` rows each.
  llvm::SmallVector<Box> splitIntoBoxes(tile::SharedType type, int64_t rows,
                                        int64_t run);
  llvm::SmallVector<mlir::Value> boxRows(mlir::Location loc, const Piece &piece,
                                         llvm::ArrayRef<Box> boxes,
                                         mlir::Value more);
  /// Calls `visit` with each box of a piece's first `rows` rows, `more` rows
  /// further on: its bytes into the buffer, and its coordinates in the view.
  void forEachBox(mlir::Location loc, const Piece &piece,
                  tile::SharedType buffer, int64_t rows, mlir::Value more,
                  llvm::function_ref<void(int64_t, mlir::ValueRange)> visit);
  static std::string copyName(llvm::StringRef direction, const Piece &piece,
                              tile::SharedType buffer);
  /// Rows that one block copies: with multicast, its part of the buffer's.
  int64_t copiedRows(tile::CopyAsyncOp op);
  /// Rows that one thread stores at once: with warpgroups, those of its own.
  int64_t storedRows(tile::StoreAsyncOp op);
  /// Rows that lie together: all of `rows`, or what pages and tiles both have.
  static int64_t runOf(const Piece &piece, int64_t rows);
  tile::TensorMapAttr
  tensorMapOf(const Piece &piece, tile::SharedType buffer, int64_t rows,
              llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
  mlir::LogicalResult
  describeBands(const Piece &piece, tile::SharedType buffer, int64_t boxRows,
                llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                llvm::SmallVectorImpl<problem::ExprAttr> &extents,
                llvm::SmallVectorImpl<problem::ExprAttr> &strides,
                llvm::SmallVectorImpl<int64_t> &box);
  mlir::Value tensorMapArgument(const Piece &piece, tile::SharedType buffer,
                                int64_t rows);
  /// Innermost dimension first; `row` is the piece's row at the box.
  llvm::SmallVector<mlir::Value>
  boxCoordinates(mlir::Location loc, const Piece &piece,
                 tile::SharedType buffer, const Box &box, mlir::Value row);

  // LowerRoles.cpp
  mlir::LogicalResult lowerRoles(tile::RolesOp op);
  void numberThreads(mlir::Location loc, int64_t first, int64_t teams,
                     mlir::Value tid, mlir::Value group);
  void lowerBarrier(mlir::Location loc, bool ofWarpgroup = false);
  void lowerRaster(tile::RasterOp op);
  /// Calls `body` in a branch for the first thread of the role, or of each of
  /// its warpgroups, alone.
  void byOneThread(mlir::Location loc, llvm::function_ref<void()> body,
                   bool ofWarpgroup = false);

  // LowerCluster.cpp
  int64_t clusterSize();
  mlir::Value clusterRank(mlir::Location loc);
  void lowerClusterId(tile::ClusterIdOp op);
  void lowerClusterBarrier(tile::ClusterBarrierOp op);
  mlir::LogicalResult lowerClusterReduce(tile::ClusterReduceOp op);
  mlir::Value logAddress(tile::ClusterReduceOp op, tile::SharedType shared,
                         mlir::Value buffer, mlir::Value atRow);
  void writeLogs(tile::ClusterReduceOp op, tile::SharedType shared,
                 mlir::Value buffer);
  llvm::SmallVector<mlir::Value> sharesOf(tile::ClusterReduceOp op,
                                          tile::SharedType shared,
                                          mlir::ArrayRef<mlir::Value> peers,
                                          mlir::Value atRow,
                                          mlir::Value inside);
  /// Where in a buffer of all parts of `tile` this thread's part begins.
  mlir::Value partAddress(mlir::Location loc, mlir::RankedTensorType tile,
                          tile::SharedType shared, mlir::Value buffer);
  void clusterBarrier(mlir::Location loc);

  // LowerWgmma.cpp
  mlir::LogicalResult lowerWgmma(tile::DotOp op);
  /// An operand in registers as wgmma and mma.sync take it: the words of each
  /// block of 16 rows and 16 bytes of K for each of four lanes.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  rowWords(mlir::Location loc, mlir::Value operand);
  void lowerAwaitDots(tile::AwaitDotsOp op);
  mlir::Value zeroUnlessStarted(mlir::Location loc, mlir::Value tile,
                                mlir::Value sum);
  /// Where in a thread's vector each of its sums is, in wgmma's order.
  static llvm::SmallVector<llvm::SmallVector<int64_t, 2>>
  sumSlots(mlir::VectorType type);
  llvm::SmallVector<mlir::Value> sumsOf(mlir::Location loc, mlir::Value tile);
  mlir::Type packType(int64_t count);
  mlir::Value packSums(mlir::Location loc, llvm::ArrayRef<mlir::Value> sums);
  /// What `tile` became, as a struct where it is to be under way.
  mlir::Value lookupAs(mlir::Location loc, mlir::Value tile, bool underWay);

  // LowerDot.cpp
  mlir::LogicalResult lowerDot(tile::DotOp op);
  mlir::LogicalResult lowerSyncDot(tile::DotOp op);
  /// Whether b begins where instructions can read it.
  mlir::LogicalResult checkFirst(tile::DotOp op);
  /// Where the rows of b that are multiplied begin.
  mlir::Value bufferOfB(mlir::Location loc, tile::DotOp op);

  // LowerMma.cpp, LowerMfma.cpp: `depth` is the extent that is summed over.
  struct Fragments;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  operandWords(mlir::Location loc, mlir::Value operand);
  llvm::SmallVector<mlir::Value> widenWords(mlir::Location loc,
                                            llvm::ArrayRef<mlir::Value> words,
                                            mlir::Type from, mlir::Type to,
                                            size_t together);
  mlir::LogicalResult lowerMma(tile::DotOp op, int64_t depth);
  mlir::LogicalResult lowerMfma(tile::DotOp op, int64_t depth);
  Fragments placeFragments(tile::DotOp op, bool isB);
  /// Fragment registers of `count` 8x8 matrices.
  llvm::SmallVector<mlir::Value> loadMatrices(mlir::Location loc,
                                              const Fragments &fragments,
                                              int64_t outer, int64_t step,
                                              int64_t count);

  // Shared
  mlir::Value index(mlir::Location loc, int64_t value);
  mlir::Value word(mlir::Location loc, int64_t value, unsigned width = 32);
  mlir::Value toWord(mlir::Location loc, mlir::Value index);
  /// Shared memory's own address, 32 bits wide.
  mlir::Value sharedAddress(mlir::Location loc, mlir::Value pointer);
  mlir::Value intrinsic(mlir::Location loc, llvm::StringRef name,
                        mlir::ValueRange operands, mlir::Type result = {});
  mlir::Value inlinePtx(mlir::Location loc, llvm::StringRef text,
                        llvm::StringRef constraints, mlir::ValueRange operands,
                        mlir::Type result = {}, bool isPure = false);
  mlir::Value threadId(mlir::Location loc);
  /// A word on which a warp agrees, so that the assembler knows that it does.
  mlir::Value uniformInWarp(mlir::Location loc, mlir::Value value);
  /// One digit of this thread's index among `numThreads`, times its scale.
  mlir::Value threadDigit(mlir::Location loc, tile::ThreadDigit digit,
                          int64_t numThreads);
  /// Weighted sum of digits of this thread's index; computed once.
  mlir::Value threadSum(mlir::Location loc, tile::LayoutInterface layout,
                        int64_t dim);
  /// First element along tile dimension `dim` that this thread holds.
  mlir::Value threadBase(mlir::Location loc, const Distribution &distribution,
                         int64_t dim);
  /// Position of this thread's slot `slot` along `dim`. Where not every thread
  /// has such a slot, `inside` becomes whether this one does, too.
  mlir::Value slotPosition(mlir::Location loc, const Distribution &distribution,
                           int64_t dim, int64_t slot, mlir::Value &inside);
  /// Both conditions; a null `also` holds everywhere.
  mlir::Value both(mlir::Location loc, mlir::Value also, mlir::Value condition);
  /// Whether `position` is below `limit`, unsigned, so that a negative one is
  /// not, and `also` holds.
  mlir::Value isBelow(mlir::Location loc, mlir::Value position,
                      mlir::Value limit, mlir::Value also = {});
  /// Whether `materialize` can compute `expr` from the run-time dims.
  bool isComputable(const Expr &expr);
  mlir::Value materialize(mlir::Location loc, const Expr &expr);
  mlir::Type convertType(mlir::Type type);

  tile::KernelOp kernel;
  mlir::OpBuilder &builder;
  mlir::gpu::GPUFuncOp function;
  mlir::IRMapping mapping;
  mlir::Value base; ///< of shared memory
  /// Of sums that start at zero in a loop: whether this is a later turn than
  /// the first, by the loop's argument, and whether there was one, by its
  /// result.
  llvm::DenseMap<mlir::Value, mlir::Value> startedSums;
  /// The tensor maps that asynchronous transfers use, in parameter order.
  llvm::SmallVector<tile::TensorMapAttr> tensorMaps;

  /// The threads that run what is being lowered: the block's, or a role's.
  struct Role {
    mlir::Block *entry = nullptr; ///< where its own values are computed
    int64_t numThreads = 0;
    int64_t barrier = 0; ///< its named barrier, a first team's; 0: the block's
    mlir::Value tid;     ///< counted from the role's or team's first thread
    mlir::Value warpgroup;      ///< likewise; the same register in a whole warp
    mlir::Value blockWarpgroup; ///< likewise, counted from the block's first
    mlir::Value team;           ///< null if the role is one
    /// Values computed once at the top of the role.
    llvm::DenseMap<std::pair<mlir::Attribute, int64_t>, mlir::Value> coords;
  };
  Role role;
};

/// What `load` gives where `inside` holds, else zero; null holds everywhere.
mlir::Value loadIf(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value inside, mlir::VectorType type,
                   llvm::function_ref<mlir::Value()> load);

/// Whether a tile is the sum of asynchronous dots that are not awaited.
bool isUnderWay(mlir::Value tile);

/// Whether the sum that a loop carries in `argument` starts at zero and is
/// added to by one asynchronous dot alone, and awaited behind the loop.
bool startsAtZero(mlir::BlockArgument argument);

/// Calls `body` with every index tuple below `sizes`, last fastest.
void forEachIndex(mlir::ArrayRef<int64_t> sizes,
                  llvm::function_ref<void(mlir::ArrayRef<int64_t>)> body);

} // namespace lathe

#endif // LATHE_LIB_CONVERSION_KERNELLOWERING_H
