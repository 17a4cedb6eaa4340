// Sets, maps and lists: weight-balanced trees built on one operation, Join (Blelloch, Ferizovic, Sun: "Just Join for
// Parallel Ordered Sets", 2016). Self-contained, see value.h.
//
// Ownership: a TreeNode* parameter is consumed and a TreeNode* result is owned, except where the name says Find, Get or
// ForEach. A node with one reference is reused in place; a shared one is copied. So an update of an unshared tree
// allocates nothing but its new node, and an update of a shared tree copies O(log n) nodes.
#pragma once

#include <cstdint>
#include <utility>

#include "stream/run/value.h"

namespace heddle::stream {

inline uint32_t TreeSize(const TreeNode* node) { return node == nullptr ? 0 : node->size; }

inline TreeNode* RetainTree(TreeNode* node) {
  if (node != nullptr) ++node->refs;
  return node;
}

inline TreeNode* NewNode(Value key, Value value) {
  return new TreeNode{1, 1, nullptr, nullptr, std::move(key), std::move(value)};
}

// Makes `node` ours alone and detaches its children into *left and *right (owned).
inline TreeNode* Expose(TreeNode* node, TreeNode** left, TreeNode** right) {
  if (node->refs == 1) {
    *left = node->left;
    *right = node->right;
    return node;
  }
  *left = RetainTree(node->left);
  *right = RetainTree(node->right);
  TreeNode* copy = NewNode(node->key, node->value);
  --node->refs;
  return copy;
}

// `node` is unshared; its children are replaced.
inline TreeNode* Link(TreeNode* left, TreeNode* node, TreeNode* right) {
  node->left = left;
  node->right = right;
  node->size = 1 + TreeSize(left) + TreeSize(right);
  return node;
}

// Weight balance with alpha = 0.29, the value for which single joins stay balanced.
inline bool TooHeavy(uint64_t heavy, uint64_t light) { return (heavy + 1) * 100 > (heavy + light + 2) * 71; }
inline bool Alike(uint64_t a, uint64_t b) { return !TooHeavy(a, b) && !TooHeavy(b, a); }

inline TreeNode* RotateLeft(TreeNode* node) {
  TreeNode *left, *right, *inner, *outer;
  node = Expose(node, &left, &right);
  right = Expose(right, &inner, &outer);
  return Link(Link(left, node, inner), right, outer);
}

inline TreeNode* RotateRight(TreeNode* node) {
  TreeNode *left, *right, *inner, *outer;
  node = Expose(node, &left, &right);
  left = Expose(left, &outer, &inner);
  return Link(outer, left, Link(inner, node, right));
}

inline TreeNode* JoinRight(TreeNode* left, TreeNode* middle, TreeNode* right) {
  if (!TooHeavy(TreeSize(left), TreeSize(right))) return Link(left, middle, right);
  TreeNode *outer, *inner;
  TreeNode* root = Expose(left, &outer, &inner);
  TreeNode* joined = JoinRight(inner, middle, right);
  if (!TooHeavy(TreeSize(joined), TreeSize(outer))) return Link(outer, root, joined);
  if (!Alike(TreeSize(outer), TreeSize(joined->left)) ||
      !Alike(uint64_t{TreeSize(outer)} + TreeSize(joined->left) + 1, TreeSize(joined->right))) {
    joined = RotateRight(joined);
  }
  return RotateLeft(Link(outer, root, joined));
}

inline TreeNode* JoinLeft(TreeNode* left, TreeNode* middle, TreeNode* right) {
  if (!TooHeavy(TreeSize(right), TreeSize(left))) return Link(left, middle, right);
  TreeNode *inner, *outer;
  TreeNode* root = Expose(right, &inner, &outer);
  TreeNode* joined = JoinLeft(left, middle, inner);
  if (!TooHeavy(TreeSize(joined), TreeSize(outer))) return Link(joined, root, outer);
  if (!Alike(TreeSize(outer), TreeSize(joined->right)) ||
      !Alike(uint64_t{TreeSize(outer)} + TreeSize(joined->right) + 1, TreeSize(joined->left))) {
    joined = RotateLeft(joined);
  }
  return RotateRight(Link(joined, root, outer));
}

// All of left, then middle (unshared), then all of right.
inline TreeNode* Join(TreeNode* left, TreeNode* middle, TreeNode* right) {
  if (TooHeavy(TreeSize(left), TreeSize(right))) return JoinRight(left, middle, right);
  if (TooHeavy(TreeSize(right), TreeSize(left))) return JoinLeft(left, middle, right);
  return Link(left, middle, right);
}

// Takes the last node out; `tree` is not empty.
inline TreeNode* SplitLast(TreeNode* tree, TreeNode** last) {
  TreeNode *left, *right;
  TreeNode* root = Expose(tree, &left, &right);
  if (right == nullptr) {
    *last = Link(nullptr, root, nullptr);
    return left;
  }
  TreeNode* rest = SplitLast(right, last);
  return Join(left, root, rest);
}

inline TreeNode* Join2(TreeNode* left, TreeNode* right) {
  if (left == nullptr) return right;
  TreeNode* last;
  TreeNode* rest = SplitLast(left, &last);
  return Join(rest, last, right);
}

// By key.

inline TreeNode* FindKey(TreeNode* node, const Value& key) {
  while (node != nullptr) {
    int c = Compare(key, node->key);
    if (c == 0) return node;
    node = c < 0 ? node->left : node->right;
  }
  return nullptr;
}

// Everything before `key`, the node with it (null if none, else unshared), everything after.
inline void SplitKey(TreeNode* tree, const Value& key, TreeNode** before, TreeNode** at, TreeNode** after) {
  if (tree == nullptr) {
    *before = *at = *after = nullptr;
    return;
  }
  TreeNode *left, *right, *part;
  TreeNode* root = Expose(tree, &left, &right);
  int c = Compare(key, root->key);
  if (c == 0) {
    *before = left;
    *at = Link(nullptr, root, nullptr);
    *after = right;
  } else if (c < 0) {
    SplitKey(left, key, before, at, &part);
    *after = Join(part, root, right);
  } else {
    SplitKey(right, key, &part, at, after);
    *before = Join(left, root, part);
  }
}

inline TreeNode* InsertKey(TreeNode* tree, Value key, Value value) {
  if (tree == nullptr) return NewNode(std::move(key), std::move(value));
  TreeNode *left, *right;
  TreeNode* root = Expose(tree, &left, &right);
  int c = Compare(key, root->key);
  if (c == 0) {
    root->value = std::move(value);
    return Link(left, root, right);
  }
  if (c < 0) return Join(InsertKey(left, std::move(key), std::move(value)), root, right);
  return Join(left, root, InsertKey(right, std::move(key), std::move(value)));
}

inline TreeNode* EraseKey(TreeNode* tree, const Value& key) {
  if (tree == nullptr || FindKey(tree, key) == nullptr) return tree;
  TreeNode *left, *right;
  TreeNode* root = Expose(tree, &left, &right);
  int c = Compare(key, root->key);
  if (c == 0) {
    Link(nullptr, root, nullptr);
    ReleaseTree(root);
    return Join2(left, right);
  }
  if (c < 0) return Join(EraseKey(left, key), root, right);
  return Join(left, root, EraseKey(right, key));
}

// On equal keys the node of `a` stays.
inline TreeNode* UnionTrees(TreeNode* a, TreeNode* b) {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  TreeNode *left, *right, *before, *at, *after;
  TreeNode* root = Expose(a, &left, &right);
  SplitKey(b, root->key, &before, &at, &after);
  ReleaseTree(at);
  TreeNode* low = UnionTrees(left, before);
  return Join(low, root, UnionTrees(right, after));
}

inline TreeNode* IntersectTrees(TreeNode* a, TreeNode* b) {
  if (a == nullptr || b == nullptr) {
    ReleaseTree(a);
    ReleaseTree(b);
    return nullptr;
  }
  TreeNode *left, *right, *before, *at, *after;
  TreeNode* root = Expose(a, &left, &right);
  SplitKey(b, root->key, &before, &at, &after);
  TreeNode* low = IntersectTrees(left, before);
  TreeNode* high = IntersectTrees(right, after);
  if (at != nullptr) {
    ReleaseTree(at);
    return Join(low, root, high);
  }
  Link(nullptr, root, nullptr);
  ReleaseTree(root);
  return Join2(low, high);
}

inline TreeNode* MinusTrees(TreeNode* a, TreeNode* b) {
  if (a == nullptr || b == nullptr) {
    ReleaseTree(b);
    return a;
  }
  TreeNode *left, *right, *before, *at, *after;
  TreeNode* root = Expose(b, &left, &right);
  SplitKey(a, root->key, &before, &at, &after);
  Link(nullptr, root, nullptr);
  ReleaseTree(root);
  ReleaseTree(at);
  TreeNode* low = MinusTrees(before, left);
  return Join2(low, MinusTrees(after, right));
}

// By position (lists).

inline TreeNode* FindIndex(TreeNode* node, uint32_t index) {
  while (node != nullptr) {
    uint32_t before = TreeSize(node->left);
    if (index == before) return node;
    if (index < before) {
      node = node->left;
    } else {
      index -= before + 1;
      node = node->right;
    }
  }
  return nullptr;
}

inline TreeNode* SetIndex(TreeNode* tree, uint32_t index, Value value) {
  TreeNode *left, *right;
  TreeNode* root = Expose(tree, &left, &right);
  uint32_t before = TreeSize(left);
  if (index == before) {
    root->key = std::move(value);
  } else if (index < before) {
    left = SetIndex(left, index, std::move(value));
  } else {
    right = SetIndex(right, index - before - 1, std::move(value));
  }
  return Link(left, root, right);
}

inline TreeNode* DropFirst(TreeNode* tree) {
  TreeNode *left, *right;
  TreeNode* root = Expose(tree, &left, &right);
  if (left == nullptr) {
    Link(nullptr, root, nullptr);
    ReleaseTree(root);
    return right;
  }
  return Join(DropFirst(left), root, right);
}

inline TreeNode* DropLast(TreeNode* tree) {
  TreeNode* last;
  TreeNode* rest = SplitLast(tree, &last);
  ReleaseTree(last);
  return rest;
}

// Calls visit(node) in order. The tree must stay alive and unchanged meanwhile.
template <typename Visit>
void ForEachNode(TreeNode* node, const Visit& visit) {
  for (; node != nullptr; node = node->right) {
    ForEachNode(node->left, visit);
    visit(node);
  }
}

}  // namespace heddle::stream
