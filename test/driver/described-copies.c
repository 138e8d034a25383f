// What copies move is described at the start of the pipeline by the types of
// their addresses: integers (a), what lies between members (p), floats (b),
// doubles (c) and what is not known (d), members of unions and characters in
// arrays; unions that the file uses as numbers of two types (m). What goes past
// the member it is given is what comes there. Of a length that is not known, in a
// structure of floats and doubles, that is said. Where the two sides contradict
// each other nothing is said.

// RUN: %clang_verso -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | FileCheck %s --check-prefix=CLANG

#include <string.h>
#include <verso/verso.h>

struct R {
  int k;
  double t[3];
  float g;
};
struct U {
  char name[8];
  union {
    double d;
    long n;
  } u;
  double v;
};
struct L {
  long words[5];
};

// Clang leaves arrays open.
// CLANG: call void @llvm.memcpy{{.*}}i64 40, {{.*}} !tbaa.struct ![[R:[0-9]+]]
// CLANG: ![[R]] = !{i64 0, i64 4, !{{[0-9]+}}, i64 8, i64 24, !{{[0-9]+}}, i64 32, i64 4, !{{[0-9]+}}}

// CHECK-LABEL: define {{.*}}@records(
// CHECK: call void @llvm.memcpy{{.*}}i64 40, {{.*}} !tbaa.struct [[RECORD:![0-9]+]]
__attribute__((noinline)) void records(struct R *p) { p[0] = p[1]; }

// CHECK-LABEL: define {{.*}}@several(
// CHECK: call void @llvm.memmove{{.*}} !tbaa.struct [[RECORD]]
__attribute__((noinline)) void several(struct R *p, long n) {
  memmove(p, p + 1, n * sizeof *p);
}

// CHECK-LABEL: define {{.*}}@unions(
// CHECK: call void @llvm.memcpy{{.*}}i64 24, {{.*}} !tbaa.struct [[UNION:![0-9]+]]
__attribute__((noinline)) void unions(struct U *p) { p[0] = p[1]; }

// CHECK-LABEL: define {{.*}}@words(
// CHECK: call void @llvm.memcpy
// CHECK-NOT: tbaa.struct
// CHECK: ret void
__attribute__((noinline)) void words(struct L *p, struct R *q) {
  memcpy(&p[1], &q[2], sizeof *q);
}

// CHECK-LABEL: define {{.*}}@past(
// CHECK: call void @llvm.memcpy{{.*}}i64 28, {{.*}} !tbaa.struct [[PAST:![0-9]+]]
__attribute__((noinline)) void past(struct R *p) {
  memcpy(p[0].t, p[1].t, sizeof p->t + sizeof p->g);
}

// CHECK-LABEL: define {{.*}}@elements(
// CHECK: call void @llvm.memmove{{.*}}i64 16, {{.*}} !tbaa.struct [[ELEMENTS:![0-9]+]]
__attribute__((noinline)) void elements(struct R *p, long n) {
  memmove(p[n].t, p[n].t + 1, 2 * sizeof(double));
}

// CHECK-LABEL: define {{.*}}@behind(
// CHECK: call void @llvm.memmove{{.*}} !tbaa.struct [[BEHIND:![0-9]+]]
__attribute__((noinline)) void behind(struct R *p, long n) {
  memmove(p[0].t, p[1].t, n);
}

union V {
  double d;
  float f[2];
};
struct W {
  float weight;
  union V v[2];
};
// CHECK-LABEL: define {{.*}}@mixed(
// CHECK: call void @llvm.memcpy{{.*}}i64 24, {{.*}} !tbaa.struct [[MIXED:![0-9]+]]
__attribute__((noinline)) void mixed(struct W *p) { p[0] = p[1]; }
float usedAsFloat(struct W *p) { return p->v[0].f[1]; }
double usedAsDouble(struct W *p) { return p->v[1].d; }

void request(struct R *p, struct R *dp) {
  __verso_vjp_void((void *)records, verso_dup, p, dp);
}

// CHECK-DAG: [[RECORD]] = !{i64 0, i64 4, [[A:![0-9]+]], i64 4, i64 4, [[P:![0-9]+]], i64 8, i64 24, [[C:![0-9]+]], i64 32, i64 4, [[B:![0-9]+]], i64 36, i64 4, [[P]]}
// CHECK-DAG: [[UNION]] = !{i64 0, i64 8, [[D:![0-9]+]], i64 8, i64 8, [[D]], i64 16, i64 8, [[C]]}
// CHECK-DAG: [[PAST]] = !{i64 0, i64 24, [[C]], i64 24, i64 4, [[B]]}
// CHECK-DAG: [[ELEMENTS]] = !{i64 0, i64 16, [[C]]}
// CHECK-DAG: [[BEHIND]] = !{i64 0, i64 0, [[M:![0-9]+]]}
// CHECK-DAG: [[MIXED]] = !{i64 0, i64 4, [[B]], i64 4, i64 4, [[P]], i64 8, i64 8, [[M]], i64 16, i64 8, [[M]]}
// CHECK-DAG: [[A]] = !{[[INT:![0-9]+]], [[INT]], i64 0}
// CHECK-DAG: [[INT]] = !{!"int or char", [[ROOT:![0-9]+]], i64 0}
// CHECK-DAG: [[ROOT]] = !{!"verso declared int or char"}
// CHECK-DAG: !{!"verso declared padding or char"}
// CHECK-DAG: !{!"verso declared numbers or char"}
// CHECK-DAG: !{!"verso declared float"}
// CHECK-DAG: !{!"verso declared double"}
// CHECK-DAG: !{!"verso declared omnipotent char"}
