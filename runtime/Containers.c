//===- Containers.c - bodies of what libstdc++ keeps in its library -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// std::map, std::set and std::list link their nodes by functions of the
// library, which nobody sees. They move pointers, and a pointer has a shadow;
// so in a differentiated function they are replaced by these bodies, whose
// names are
// __verso_body_ and what they stand for. The layouts of nodes, and the meaning
// of the functions, are libstdc++'s ABI. Red-black trees as in Cormen,
// Leiserson, Rivest, Stein: Introduction to Algorithms.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>

//===----------------------------------------------------------------------===//
// std::_Rb_tree_node_base
//===----------------------------------------------------------------------===//

/// The header of a tree has the root as its parent, and the least and the
/// greatest node as its children. It is red, the root black.
typedef struct Node {
  enum { Red, Black } Color;
  struct Node *Parent, *Left, *Right;
} Node;

static int isRed(const Node *N) { return N && N->Color == Red; }

/// What points down to \p N: the root's place is in the header.
static Node **linkTo(Node *N, Node *Header) {
  if (Header->Parent == N)
    return &Header->Parent;
  return N->Parent->Left == N ? &N->Parent->Left : &N->Parent->Right;
}

/// \p New, which may be null, takes the place of \p Old.
static void replace(Node *Old, Node *New, Node *Header) {
  *linkTo(Old, Header) = New;
  if (New)
    New->Parent = Old->Parent;
}

/// Up comes the right child of \p N.
static void rotateLeft(Node *N, Node *Header) {
  Node *Up = N->Right;
  N->Right = Up->Left;
  if (Up->Left)
    Up->Left->Parent = N;
  replace(N, Up, Header);
  Up->Left = N;
  N->Parent = Up;
}

static void rotateRight(Node *N, Node *Header) {
  Node *Up = N->Left;
  N->Left = Up->Right;
  if (Up->Right)
    Up->Right->Parent = N;
  replace(N, Up, Header);
  Up->Right = N;
  N->Parent = Up;
}

static void rotate(Node *N, int ToLeft, Node *Header) {
  if (ToLeft)
    rotateLeft(N, Header);
  else
    rotateRight(N, Header);
}

static Node *leftmost(Node *N) {
  while (N->Left)
    N = N->Left;
  return N;
}

static Node *rightmost(Node *N) {
  while (N->Right)
    N = N->Right;
  return N;
}

void __verso_body__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(
    _Bool AsLeft, Node *N, Node *Parent, Node *Header) {
  N->Parent = Parent;
  N->Left = N->Right = NULL;
  N->Color = Red;
  if (Parent == Header) { // The first one.
    Header->Parent = Header->Left = Header->Right = N;
  } else if (AsLeft) {
    Parent->Left = N;
    if (Header->Left == Parent)
      Header->Left = N;
  } else {
    Parent->Right = N;
    if (Header->Right == Parent)
      Header->Right = N;
  }
  while (N != Header->Parent && N->Parent->Color == Red) {
    Node *Above = N->Parent, *Top = Above->Parent;
    int OnLeft = Above == Top->Left;
    Node *Uncle = OnLeft ? Top->Right : Top->Left;
    Top->Color = Red;
    if (isRed(Uncle)) {
      Above->Color = Uncle->Color = Black;
      N = Top;
      continue;
    }
    if (N == (OnLeft ? Above->Right : Above->Left)) {
      rotate(Above, OnLeft, Header);
      Above = N;
    }
    Above->Color = Black;
    rotate(Top, !OnLeft, Header);
    break;
  }
  Header->Parent->Color = Black;
}

/// A black node is missing above \p N, which may be null, below \p Parent.
static void rebalance(Node *N, Node *Parent, Node *Header) {
  while (N != Header->Parent && !isRed(N)) {
    int OnLeft = N == Parent->Left;
    Node *Sibling = OnLeft ? Parent->Right : Parent->Left;
    if (Sibling->Color == Red) {
      Sibling->Color = Black;
      Parent->Color = Red;
      rotate(Parent, OnLeft, Header);
      Sibling = OnLeft ? Parent->Right : Parent->Left;
    }
    Node *Near = OnLeft ? Sibling->Left : Sibling->Right;
    Node *Far = OnLeft ? Sibling->Right : Sibling->Left;
    if (!isRed(Near) && !isRed(Far)) {
      Sibling->Color = Red;
      N = Parent;
      Parent = N->Parent;
      continue;
    }
    if (!isRed(Far)) {
      Near->Color = Black;
      Sibling->Color = Red;
      rotate(Sibling, !OnLeft, Header);
      Far = Sibling;
      Sibling = Near;
    }
    Sibling->Color = Parent->Color;
    Parent->Color = Far->Color = Black;
    rotate(Parent, OnLeft, Header);
    break;
  }
  if (N)
    N->Color = Black;
}

/// Takes \p N out of the tree and returns it.
Node *__verso_body__ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(
    Node *N, Node *Header) {
  int Removed = N->Color;
  Node *Child, *Parent;
  if (N->Left && N->Right) { // The next node takes its place.
    Node *Next = leftmost(N->Right);
    Removed = Next->Color;
    Child = Next->Right;
    Parent = Next->Parent;
    if (Parent == N) {
      Parent = Next;
    } else {
      replace(Next, Child, Header);
      Next->Right = N->Right;
      Next->Right->Parent = Next;
    }
    replace(N, Next, Header);
    Next->Left = N->Left;
    Next->Left->Parent = Next;
    Next->Color = N->Color;
  } else {
    Child = N->Left ? N->Left : N->Right;
    Parent = N->Parent;
    replace(N, Child, Header);
    if (Header->Left == N)
      Header->Left = Child ? leftmost(Child) : Parent;
    if (Header->Right == N)
      Header->Right = Child ? rightmost(Child) : Parent;
  }
  if (Removed == Black)
    rebalance(Child, Parent, Header);
  return N;
}

static Node *increment(Node *N) {
  if (N->Right)
    return leftmost(N->Right);
  Node *Up = N->Parent;
  while (N == Up->Right) {
    N = Up;
    Up = Up->Parent;
  }
  // The greatest node may be the root, and the header's right child.
  return N->Right == Up ? N : Up;
}

static Node *decrement(Node *N) {
  if (N->Color == Red && N->Parent->Parent == N) // The header.
    return N->Right;
  if (N->Left)
    return rightmost(N->Left);
  Node *Up = N->Parent;
  while (N == Up->Left) {
    N = Up;
    Up = Up->Parent;
  }
  return Up;
}

Node *__verso_body__ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(Node *N) {
  return increment(N);
}

Node *__verso_body__ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(Node *N) {
  return increment(N);
}

Node *__verso_body__ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(Node *N) {
  return decrement(N);
}

Node *__verso_body__ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(Node *N) {
  return decrement(N);
}

//===----------------------------------------------------------------------===//
// std::__detail::_List_node_base: a ring
//===----------------------------------------------------------------------===//

typedef struct Link {
  struct Link *Next, *Previous;
} Link;

/// \p L goes before \p Position.
void __verso_body__ZNSt8__detail15_List_node_base7_M_hookEPS0_(Link *L,
                                                               Link *Position) {
  L->Next = Position;
  L->Previous = Position->Previous;
  Position->Previous->Next = L;
  Position->Previous = L;
}

void __verso_body__ZNSt8__detail15_List_node_base9_M_unhookEv(Link *L) {
  L->Previous->Next = L->Next;
  L->Next->Previous = L->Previous;
}

/// [First, Last), of any list, goes before \p Position.
void __verso_body__ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(
    Link *Position, Link *First, Link *Last) {
  if (Position == Last || First == Last)
    return;
  Link *End = Last->Previous, *Before = Position->Previous;
  First->Previous->Next = Last;
  Last->Previous = First->Previous;
  Before->Next = First;
  First->Previous = Before;
  End->Next = Position;
  Position->Previous = End;
}

void __verso_body__ZNSt8__detail15_List_node_base10_M_reverseEv(Link *L) {
  Link *At = L;
  do {
    Link *Next = At->Next;
    At->Next = At->Previous;
    At->Previous = Next;
    At = Next;
  } while (At != L);
}

/// The neighbours of a list's head point to where the head is now.
static void settle(Link *Head, const Link *Was) {
  if (Head->Next == Was) {
    Head->Next = Head->Previous = Head;
  } else {
    Head->Next->Previous = Head;
    Head->Previous->Next = Head;
  }
}

/// Swaps two lists by their heads.
void __verso_body__ZNSt8__detail15_List_node_base4swapERS0_S1_(Link *A,
                                                               Link *B) {
  Link OfA = *A;
  A->Next = B->Next;
  A->Previous = B->Previous;
  B->Next = OfA.Next;
  B->Previous = OfA.Previous;
  settle(A, B);
  settle(B, A);
}
