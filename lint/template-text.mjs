import { HOLE } from './sql.mjs';

/**
 * Returns the text of a literal or template. Constants of the same file are replaced by their text, all other values by
 * a hole.
 */
export function textOf(node, sourceCode, depth = 0) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : HOLE;
  if (node.type === 'TemplateLiteral') {
    return node.quasis
      .map((quasi, at) => {
        const held = node.expressions[at];
        return quasi.value.cooked + (held === undefined ? '' : textOf(held, sourceCode, depth));
      })
      .join('');
  }
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    return textOf(node.left, sourceCode, depth) + textOf(node.right, sourceCode, depth);
  }
  if (node.type === 'ConditionalExpression') {
    return `${textOf(node.consequent, sourceCode, depth)} ${textOf(node.alternate, sourceCode, depth)}`;
  }
  if (node.type === 'Identifier' && depth < 8) {
    const value = constantOf(node, sourceCode);
    if (value !== null) return textOf(value, sourceCode, depth + 1);
  }
  return HOLE;
}

/**
 * Returns the template of a constant that another template contains by name. Each is read as a part of the larger one.
 */
export function constantOf(identifier, sourceCode) {
  for (let scope = sourceCode.getScope(identifier); scope !== null; scope = scope.upper) {
    const variable = scope.set.get(identifier.name);
    if (variable === undefined) continue;
    const [definition] = variable.defs;
    const declared = definition?.type === 'Variable' && definition.parent.kind === 'const' ? definition.node : null;
    return declared?.id.type === 'Identifier' && isText(declared.init) ? declared.init : null;
  }
  return null;
}

function isText(node) {
  return (
    node !== null && (node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string'))
  );
}
