/**
 * What bundling breaks: code that looks for other files next to its own, or that loads modules by names which are known only
 * when it runs. It works in `node_modules` and in every test that imports packages, and fails in the bundle.
 */
import { createRequire, isBuiltin } from 'node:module';

/** Set-up imports this module before it installs packages, so the compiler is loaded at the first use. */
let ts;

/** Such code in the text of a bundle; each kind once, in alphabetical order. */
export function bundleFaults(text) {
  ts ??= createRequire(import.meta.url)('typescript');
  const source = ts.createSourceFile('bundle.js', text, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS);
  const found = new Set();
  const visit = (node) => {
    const fault = faultOf(node);
    if (fault !== undefined) found.add(fault);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found].sort();
}

function faultOf(node) {
  if (ts.isIdentifier(node) && /^__(?:dirname|filename)$/.test(node.text)) return node.text;
  if (ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword) return 'import.meta';
  if (ts.isNewExpression(node) && nameOf(node.expression) === 'Worker') return 'new Worker';
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    return node.moduleSpecifier && notBuiltin('import', node.moduleSpecifier);
  if (!ts.isCallExpression(node)) return undefined;
  if (node.expression.kind === ts.SyntaxKind.ImportKeyword) return notBuiltin('import', node.arguments[0]);
  const name = nameOf(node.expression);
  if (name === 'resolve' && nameOf(node.expression.expression) === 'require') return 'require.resolve';
  return /^(?:__)?require\d*$/.test(name ?? '') ? notBuiltin('require', node.arguments[0]) : undefined;
}

/** The last word of a name such as `a.b`. */
function nameOf(node) {
  if (node === undefined) return undefined;
  return ts.isPropertyAccessExpression(node) ? node.name.text : node.text;
}

function notBuiltin(how, argument) {
  if (argument === undefined || !ts.isStringLiteralLike(argument)) return `${how}(…)`;
  return isBuiltin(argument.text) || argument.text.startsWith('node:')
    ? undefined
    : `${how}('${argument.text}')`;
}

/**
 * Compares such code with `known`, which says for each kind why it is harmless.
 *
 * @returns {string[]} one line per difference
 */
export function bundleProblems(name, text, known = {}) {
  const found = bundleFaults(text);
  return [
    ...found
      .filter((fault) => !(fault in known))
      .map((fault) => `the bundle of ${name} has ${fault}, which may not work there`),
    ...Object.keys(known)
      .filter((fault) => !found.includes(fault))
      .map((fault) => `the bundle of ${name} no longer has ${fault}`),
  ];
}
