import { isStatement, namesInPieces, tablesWithoutTenant } from './sql.mjs';
import { constantOf, textOf } from './template-text.mjs';

/**
 * A statement that names a table of tenants also names its tenant, or gives in a comment the reason why it needs none.
 */
export const tenantInSql = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      pieces:
        'Name the table by one name that is read here, or by a constant as a whole: a part of a name hides which tables are meant.',
      missing:
        'This statement on {{tables}} names no tenant: compare project_id, organization_id or user_id with a parameter, or say why not: /* every tenant: … */, /* tenant: … */.',
    },
  },
  create(context) {
    const { sourceCode } = context;
    const texts = [];
    /** Literals that are part of a larger one. They are checked with the larger one. */
    const parts = new Set();
    const text = (node) => texts.push(node);
    return {
      TemplateLiteral(node) {
        text(node);
        for (const expression of node.expressions) noteParts(expression);
      },
      'Literal[raw=/^[\'"]/]': text,
      'BinaryExpression[operator="+"]'(node) {
        text(node);
        noteParts(node.left);
        noteParts(node.right);
      },
      'Program:exit'() {
        for (const node of texts) {
          if (parts.has(node)) continue;
          const statement = textOf(node, sourceCode);
          if (!isStatement(statement)) continue;
          if (namesInPieces(statement)) {
            context.report({ node, messageId: 'pieces' });
            continue;
          }
          const tables = tablesWithoutTenant(statement);
          if (tables.length > 0) context.report({ node, messageId: 'missing', data: { tables: tables.join(', ') } });
        }
      },
    };

    function noteParts(expression) {
      if (expression.type === 'ConditionalExpression') {
        noteParts(expression.consequent);
        noteParts(expression.alternate);
      } else if (expression.type === 'Identifier') {
        const value = constantOf(expression, sourceCode);
        if (value !== null) parts.add(value);
      } else parts.add(expression);
    }
  },
};
