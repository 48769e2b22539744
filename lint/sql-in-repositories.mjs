import { isStatement } from './sql.mjs';
import { textOf } from './template-text.mjs';

/** Readers and writers are repositories that other modules may use. */
const REPOSITORY = /\.(repository|reader|writer)\.ts$/;

/** Only repository files contain SQL or use TypeORM's repositories. */
export const sqlInRepositories = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      elsewhere:
        'Statements stand in repositories: move this one into a file *.repository.ts, or of a reader or writer.',
    },
  },
  create(context) {
    if (REPOSITORY.test(context.filename)) return {};
    const check = (node) => {
      if (node.parent.type !== 'ImportDeclaration' && isStatement(textOf(node, context.sourceCode))) {
        context.report({ node, messageId: 'elsewhere' });
      }
    };
    return {
      TemplateLiteral: check,
      'Literal[raw=/^[\'"]/]': check,
      'CallExpression[callee.property.name=/^(repository|getRepository|createQueryBuilder)$/]'(node) {
        context.report({ node, messageId: 'elsewhere' });
      },
    };
  },
};
