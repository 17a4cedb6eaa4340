// The trees against std::set, std::map and std::vector, with shared copies that must not change.
#include "stream/run/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "stream/run/primitives.h"

namespace heddle::stream {
namespace {

std::vector<int64_t> Keys(const Value& value) {
  std::vector<int64_t> keys;
  ForEachNode(value.tree(), [&](TreeNode* node) { keys.push_back(node->key.integer()); });
  return keys;
}

// Sizes are right and no subtree is heavier than the balance allows.
uint32_t CheckBalance(const TreeNode* node) {
  if (node == nullptr) return 0;
  uint32_t left = CheckBalance(node->left);
  uint32_t right = CheckBalance(node->right);
  EXPECT_EQ(node->size, left + right + 1);
  EXPECT_FALSE(TooHeavy(left, right) || TooHeavy(right, left)) << left << " " << right;
  return node->size;
}

int Depth(const TreeNode* node) { return node == nullptr ? 0 : 1 + std::max(Depth(node->left), Depth(node->right)); }

std::vector<int64_t> Keys(const std::set<int64_t>& set) { return {set.begin(), set.end()}; }

TEST(Tree, SetsAgreeWithStdSet) {
  std::mt19937 random(7);
  using primitive::SetAdd;
  std::vector<std::pair<Value, std::set<int64_t>>> pool(4, {Value::Tree(Tag::kSet, nullptr), {}});
  for (int i = 0; i < 3000; ++i) {
    auto& [tree, twin] = pool[random() % pool.size()];
    auto& [other, other_twin] = pool[random() % pool.size()];
    auto key = static_cast<int64_t>(random() % 200);
    std::set<int64_t> result = twin;
    switch (random() % 7) {
      case 0:
      case 1:
        tree = SetAdd(std::move(tree), Value::Int(key));
        result.insert(key);
        break;
      case 2:
        tree = primitive::SetRemove(std::move(tree), Value::Int(key));
        result.erase(key);
        break;
      case 3:
        tree = primitive::SetUnion(tree, other);
        result.insert(other_twin.begin(), other_twin.end());
        break;
      case 4:
        tree = primitive::SetIntersection(tree, other);
        std::erase_if(result, [&](int64_t k) { return !other_twin.contains(k); });
        break;
      case 5:
        tree = primitive::SetMinus(tree, other);
        std::erase_if(result, [&](int64_t k) { return other_twin.contains(k); });
        break;
      default:
        tree = other;
        result = other_twin;
    }
    twin = result;
    for (const auto& [t, expected] : pool) ASSERT_EQ(Keys(t), Keys(expected)) << "step " << i;
    if (i % 100 == 0) CheckBalance(tree.tree());
    ASSERT_EQ(primitive::SetContains(tree, Value::Int(key)).boolean(), twin.contains(key));
  }
}

TEST(Tree, GrowsAndShrinksBalanced) {
  Value set = Value::Tree(Tag::kSet, nullptr);
  for (int64_t i = 0; i < 5000; ++i) set = primitive::SetAdd(std::move(set), Value::Int(i));
  CheckBalance(set.tree());
  EXPECT_LE(Depth(set.tree()), 24);  // 2 log2(5000), rounded down: a list would have 5000
  for (int64_t i = 0; i < 5000; i += 3) set = primitive::SetRemove(std::move(set), Value::Int(i));
  CheckBalance(set.tree());
  EXPECT_EQ(TreeSize(set.tree()), 5000U - 1667U);
}

TEST(Tree, UnsharedUpdatesKeepTheirNodes) {
  Value set = Value::Tree(Tag::kSet, nullptr);
  for (int64_t i = 0; i < 100; ++i) set = primitive::SetAdd(std::move(set), Value::Int(i));
  std::set<TreeNode*> before;
  ForEachNode(set.tree(), [&](TreeNode* node) { before.insert(node); });
  set = primitive::SetAdd(std::move(set), Value::Int(1000));
  size_t kept = 0;
  ForEachNode(set.tree(), [&](TreeNode* node) { kept += before.contains(node) ? 1U : 0U; });
  EXPECT_EQ(kept, 100U);
}

TEST(Tree, MapsAgreeWithStdMap) {
  std::mt19937 random(8);
  Value map = Value::Tree(Tag::kMap, nullptr);
  std::map<int64_t, int64_t> twin;
  for (int i = 0; i < 2000; ++i) {
    auto key = static_cast<int64_t>(random() % 100);
    Value shared = random() % 2 == 0 ? map : Value();
    if (random() % 3 == 0) {
      map = primitive::MapRemove(std::move(map), Value::Int(key));
      twin.erase(key);
    } else {
      map = primitive::MapAdd(std::move(map), Value::Int(key), Value::Int(i));
      twin[key] = i;
    }
    for (const auto& [k, v] : twin) ASSERT_EQ(primitive::MapGet(map, Value::Int(k)).integer(), v);
    ASSERT_EQ(TreeSize(map.tree()), twin.size());
    ASSERT_EQ(Keys(primitive::MapKeys(map)).size(), twin.size());
  }
}

TEST(Tree, ListsAgreeWithVector) {
  std::mt19937 random(9);
  Value list = Value::Tree(Tag::kList, nullptr);
  std::vector<int64_t> twin;
  for (int i = 0; i < 3000; ++i) {
    Value shared = random() % 2 == 0 ? list : Value();
    std::vector<int64_t> shared_twin = twin;
    switch (twin.size() > 300 ? 5 : random() % 7) {
      case 0:
      case 1:
        list = primitive::ListAppend(std::move(list), Value::Int(i));
        twin.push_back(i);
        break;
      case 2:
        list = primitive::ListPrepend(Value::Int(i), std::move(list));
        twin.insert(twin.begin(), i);
        break;
      case 3:
        if (twin.empty()) break;
        list = primitive::ListTail(std::move(list));
        twin.erase(twin.begin());
        break;
      case 4:
      case 5:
        if (twin.empty()) break;
        list = primitive::ListInit(std::move(list));
        twin.pop_back();
        break;
      default: {
        if (twin.empty()) break;
        size_t at = random() % twin.size();
        list = primitive::ListSet(std::move(list), Value::Int(static_cast<int64_t>(at)), Value::Int(-i));
        twin[at] = -i;
      }
    }
    ASSERT_EQ(Keys(list), twin);
    if (shared.tag() == Tag::kList) {
      ASSERT_EQ(Keys(shared), shared_twin);
    }
    if (i % 100 == 0) CheckBalance(list.tree());
  }
}

}  // namespace
}  // namespace heddle::stream
