/*===- table.h - what is found by a number ------------------------*- C -*-===*\
|*                                                                            *|
|* Part of Verso, under the Apache License v2.0 with LLVM Exceptions.         *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* A program may have as many messages under way as it likes, and a tag for
   each. What is in a table begins with a node, and has a key, which others may
   have, too: those that came later are found first. A table that is all zero is
   empty. */

#ifndef VERSO_MPI_TABLE_H
#define VERSO_MPI_TABLE_H

typedef struct verso_mpi_node {
  unsigned long long key;
  struct verso_mpi_node *next; /* Of those in one chain, by their keys. */
} verso_mpi_node;

typedef struct verso_mpi_table {
  verso_mpi_node **chains;
  size_t room, count; /* room: a power of two, or 0. */
} verso_mpi_table;

static VERSO_MPI_UNUSED verso_mpi_node **
verso_mpi_chain(const verso_mpi_table *table, unsigned long long key) {
  const unsigned long long mixed = (key ^ key >> 32) * 0x9e3779b185ebca87ULL;
  return &table->chains[(size_t)(mixed >> 32) & (table->room - 1)];
}

static VERSO_MPI_UNUSED void verso_mpi_table_grow(verso_mpi_table *table) {
  const verso_mpi_table old = *table;
  size_t k;
  table->room = old.room ? 2 * old.room : 64;
  table->chains = (verso_mpi_node **)verso_mpi_take_memory(
      table->room * sizeof *table->chains);
  memset(table->chains, 0, table->room * sizeof *table->chains);
  for (k = 0; k != old.room; ++k) {
    verso_mpi_node *node = old.chains[k], *turned = 0, *next, **chain;
    for (; node; node = next) {
      next = node->next;
      node->next = turned;
      turned = node;
    }
    for (node = turned; node; node = next) { /* The order stays. */
      next = node->next;
      chain = verso_mpi_chain(table, node->key);
      node->next = *chain;
      *chain = node;
    }
  }
  free(old.chains);
}

static VERSO_MPI_UNUSED void verso_mpi_table_add(verso_mpi_table *table,
                                                 unsigned long long key,
                                                 verso_mpi_node *node) {
  verso_mpi_node **chain;
  if (table->count >= table->room)
    verso_mpi_table_grow(table);
  ++table->count;
  chain = verso_mpi_chain(table, key);
  node->key = key;
  node->next = *chain;
  *chain = node;
}

/* The last one that was added with this key, or null; and the one before. */
static VERSO_MPI_UNUSED verso_mpi_node *verso_mpi_older(verso_mpi_node *node) {
  const unsigned long long key = node->key;
  do
    node = node->next;
  while (node && node->key != key);
  return node;
}

static VERSO_MPI_UNUSED verso_mpi_node *
verso_mpi_table_find(const verso_mpi_table *table, unsigned long long key) {
  verso_mpi_node *node = table->count ? *verso_mpi_chain(table, key) : 0;
  while (node && node->key != key)
    node = node->next;
  return node;
}

static VERSO_MPI_UNUSED void verso_mpi_table_remove(verso_mpi_table *table,
                                                    verso_mpi_node *node) {
  verso_mpi_node **at = verso_mpi_chain(table, node->key);
  while (*at != node)
    at = &(*at)->next;
  *at = node->next;
  --table->count;
}

/* Any one, taken out; null: none is left, and the table has no memory. */
static VERSO_MPI_UNUSED verso_mpi_node *
verso_mpi_table_take(verso_mpi_table *table) {
  size_t k;
  for (k = 0; k != table->room; ++k)
    if (table->chains[k]) {
      verso_mpi_node *node = table->chains[k];
      verso_mpi_table_remove(table, node);
      return node;
    }
  free(table->chains);
  memset(table, 0, sizeof *table);
  return 0;
}

#endif /* VERSO_MPI_TABLE_H */
