//===- Images.h - IDs beside the bytes of memory ----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading, writing, moving and clearing images (Layout.h) at shadow(p).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_IMAGES_H
#define VERSO_RUNTIME_IMAGES_H

#include "Lookup.h"
#include "Request.h"

namespace verso {

/// Four bytes of an image. Emitted code writes images as other types.
typedef uint32_t ImageWord __attribute__((may_alias, aligned(1)));

inline constexpr uint64_t GranuleBytes = 4;

/// The images of memory at \p P, a word for each granule.
inline ImageWord *imagesAt(const Request &R, const char *P) {
  return reinterpret_cast<ImageWord *>(verso_image_of(&R, P));
}

/// Whether \p Word is part of an image of this request: an ID, or the other
/// half of a double or pointer.
inline bool isImage(const Request &R, uint32_t Word) {
  return R.live(Word) || R.live(VERSO_IMAGE_PARTNER(Word));
}

/// The image of ID \p Id as a double; of a pointer if \p IsPointer.
inline void writePair(const Request &R, ImageWord *At, uint32_t Id,
                      bool IsPointer) {
  uint32_t Word = R.absolute(Id);
  At[0] = IsPointer ? VERSO_IMAGE_PARTNER(Word) : Word;
  At[1] = IsPointer ? Word : VERSO_IMAGE_PARTNER(Word);
}

/// The image of ID \p Id as a number of this kind, wider than a float.
inline void writeNumber(const Request &R, ImageWord *At, uint32_t Id,
                        verso_cell_kind Kind) {
  writePair(R, At, Id, /*IsPointer=*/false);
  if (Kind == VERSO_CELL_X86_FP80)
    At[2] = At[1];
}

/// The images of [From, From + Bytes) become those of [To, To + Bytes), which
/// may overlap. An offset that is not zero says that memory is tracked: what is
/// read from it gets leaves first, what is written to it is logged, and bytes
/// that come without an image count as constant.
struct ImageCopy {
  char *To;
  char *From;
  uint64_t Bytes;
  int64_t ToOffset;
  int64_t FromOffset;
};
void copyImages(Request &R, const ImageCopy &Copy);

/// What was copied to [P, P + Bytes) counts as constant, but for pointers.
void keepPointers(Request &R, char *P, uint64_t Bytes, int64_t Offset);

/// What is there does; tracked memory was touched before, so it is in the log.
/// Granules of which only a part is there are meant too.
void detachNumbers(Request &R, char *P, uint64_t Bytes, int64_t Offset);

/// Something inactive was written. Granules that are written in part lose their
/// image too.
void clearImages(Request &R, char *P, uint64_t Bytes, int64_t Offset);

/// The same of a part of one or two granules, in which nothing lies but numbers
/// and integers as large, not tracked: what is left of a number is lost, until
/// all of its bytes have been overwritten so.
void overwritePart(Request &R, char *P, uint64_t Bytes);

} // namespace verso

#endif // VERSO_RUNTIME_IMAGES_H
