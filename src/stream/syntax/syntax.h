// The syntax tree of a TeSSLa specification, as the parser leaves it: names unresolved, types unchecked.
//
// The tree is owned by the Specification; everything later refers to it by pointer, so it must outlive elaboration.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/source.h"

namespace heddle::stream::syntax {

struct TypeExpr {
  enum class Kind { kName, kRecord, kFunction };
  Kind kind = Kind::kName;
  std::string name;
  std::vector<std::unique_ptr<TypeExpr>> args;  // kFunction: parameters, then the result
  std::vector<std::string> names;               // kRecord
  bool open = false;                            // kRecord: `..`, further members are allowed
  Span span;
};

struct Expr;
struct Definition;
using ExprPtr = std::unique_ptr<Expr>;

struct Parameter {
  std::string name;
  std::unique_ptr<TypeExpr> type;  // null when not given
  bool lazy = false;
  Span span;
};

// One piece of an interpolated string: literal text, or an expression with an optional printf conversion.
struct StringPart {
  std::string text;
  ExprPtr expr;
  std::string format;
};

struct Expr {
  enum class Kind {
    kName,
    kInt,
    kFloat,
    kTime,  // integer with the unit in `name`
    kString,
    kCall,         // args[0] is the callee; operators are calls of names such as "+"
    kInstantiate,  // args[0][type_args]
    kMember,       // args[0].name
    kLambda,       // parameters => args[0]
    kIf,           // args: condition, then, else (else may be missing in the paper's dialect)
    kStaticIf,
    kTuple,
    kRecord,  // names[i] = args[i]
    kBlock,   // definitions, then args[0]; named: the members of a record that is defined by name, see NameMembers
    kExtern,
  };
  Kind kind = Kind::kName;
  Span span;
  std::string name;
  int64_t integer = 0;
  double real = 0;
  std::vector<ExprPtr> args;
  std::vector<std::string> names;  // kCall: argument names ("" when positional), shifted by one against args
  std::vector<std::unique_ptr<TypeExpr>> type_args;
  std::vector<Parameter> parameters;
  std::vector<StringPart> parts;
  std::vector<std::unique_ptr<Definition>> definitions;
  bool named_members = false;  // kBlock
};

struct Annotation {
  std::string name;
  bool global = false;
  std::vector<std::string> arguments;  // source text; string literals without their quotes
  std::vector<std::string> names;      // of the arguments, "" when positional
  std::vector<std::string> types;      // of literals: Int, Float, String, Bool; "" of others, "?" of what is no literal
  std::vector<Span> argument_spans;
  std::vector<std::shared_ptr<Expr>> expressions;  // of the arguments
  Span span;
};

// def @name(parameters), def @@name(parameters)
struct AnnotationDefinition {
  std::string name;
  bool global = false;
  std::vector<std::pair<std::string, std::string>> parameters;  // name, name of the type
  Span span;
};

// def name[type_parameters](parameters): result = body
struct Definition {
  std::string name;
  std::vector<std::string> type_parameters;
  std::vector<Parameter> parameters;
  bool is_function = false;  // has a parameter list, possibly empty
  bool liftable = false;
  bool in_library = false;
  bool recursive = false;  // set by FindRecursion
  std::unique_ptr<TypeExpr> result;
  ExprPtr body;
  std::vector<Annotation> annotations;
  Span span;
  Span name_span;
};

struct TypeDefinition {
  std::string name;
  std::vector<std::string> parameters;
  std::unique_ptr<TypeExpr> type;
  bool is_extern = false;  // type N = extern("Name")
  Span span;
};

struct Module;

// What can stand at the top level or in a module.
struct Entries {
  std::vector<std::unique_ptr<Definition>> definitions;
  std::vector<std::unique_ptr<TypeDefinition>> types;
  std::vector<std::unique_ptr<Module>> modules;
  std::vector<std::pair<std::vector<std::string>, Span>> imports;
};

struct Module {
  std::string name;
  Entries entries;
  Span span;
};

struct Input {
  std::string name;
  std::unique_ptr<TypeExpr> type;
  std::vector<Annotation> annotations;
  Span span;
};

struct Output {
  ExprPtr expr;  // null for `out *`
  std::string name;
  std::vector<Annotation> annotations;
  Span span;
  bool print = false;  // `print e`
};

// What tells the dialects apart. The first group is only in TeSSLa 0.4 to 0.7, the second in 0.6 to 1.1, the third is
// new in 1.1 and 1.2; the rest of the language is common to all.
enum class Feature {
  kWalrus,  // `:=`, in all versions; the oldest have nothing else
  kUntypedParameter,
  kIfWithoutElse,
  kDefine,
  kOldName,     // delayedLast, mergeValues, ...
  kAngleTypes,  // Events<Int>
  kPrint,
  kFun,
  kBuiltin,           // __builtin__(...)
  kLiftableByAt,      // @liftable
  kUnderscoreName,    // Set_add, ...
  kOpenRecord,        // {x: Int, ..}
  kModule,            // module, import
  kLibraryModule,     // Set.add, ...
  kLiftable,          // liftable def
  kExtern,            // extern("...")
  kStrictness,        // strict, lazy
  kGlobalAnnotation,  // @@name
  kEquals,            // `def x = e`, where the oldest has only `:=`
};
inline bool IsOldOnly(Feature feature) { return feature > Feature::kWalrus && feature < Feature::kPrint; }
inline bool IsBeforeModules(Feature feature) { return feature >= Feature::kPrint && feature < Feature::kModule; }
inline bool IsNewOnly(Feature feature) { return feature >= Feature::kModule; }

struct Specification {
  Entries entries;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Annotation> annotations;  // global ones
  std::vector<AnnotationDefinition> annotation_definitions;
  std::vector<std::pair<std::string, Span>> includes;
  std::vector<std::pair<Feature, Span>> features;  // of the dialects, where each was used
};

}  // namespace heddle::stream::syntax
