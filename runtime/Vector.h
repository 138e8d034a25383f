//===- Vector.h - a growable array without the C++ library ------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For small lists of plain data. There is no destructor, so that an object may
// be global: whoever owns the vector calls release().
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_VECTOR_H
#define VERSO_RUNTIME_VECTOR_H

#include "Fatal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>

namespace verso {

template <typename T> class Vector {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  constexpr Vector() = default;
  Vector(const Vector &) = delete;
  Vector &operator=(const Vector &) = delete;

  size_t size() const { return Size; }
  bool empty() const { return Size == 0; }
  T *begin() { return Data; }
  T *end() { return Data + Size; }
  const T *begin() const { return Data; }
  const T *end() const { return Data + Size; }
  T &operator[](size_t I) { return Data[I]; }
  const T &operator[](size_t I) const { return Data[I]; }
  T &back() { return Data[Size - 1]; }
  const T &back() const { return Data[Size - 1]; }

  void push_back(T Element) { insert(Size, Element); }

  /// Where \p Count new elements are, which the caller fills.
  T *append(size_t Count) {
    if (Size + Count > Capacity)
      reserve(Size + Count);
    Size += Count;
    return Data + Size - Count;
  }

  void insert(size_t At, T Element) {
    if (Size == Capacity)
      reserve(Capacity ? 2 * Capacity : 8);
    for (size_t I = Size; I > At; --I)
      Data[I] = Data[I - 1];
    Data[At] = Element;
    ++Size;
  }

  void erase(size_t At, size_t Count = 1) {
    for (size_t I = At + Count; I < Size; ++I)
      Data[I - Count] = Data[I];
    Size -= Count;
  }

  void clear() { Size = 0; }

  void release() {
    free(Data);
    Data = nullptr;
    Size = Capacity = 0;
  }

private:
  void reserve(size_t New) {
    void *Grown = realloc(static_cast<void *>(Data), New * sizeof(T));
    if (!Grown)
      fatal(nullptr, "out of memory");
    Data = static_cast<T *>(Grown);
    Capacity = New;
  }

  T *Data = nullptr;
  size_t Size = 0;
  size_t Capacity = 0;
};

} // namespace verso

#endif // VERSO_RUNTIME_VECTOR_H
