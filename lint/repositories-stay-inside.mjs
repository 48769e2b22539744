const REPOSITORY = /\.repository(\.[cm]?[jt]s)?$/;

/**
 * A module does not export its repositories. It exports a reader, a writer or a service that has what other modules
 * need. This rule checks `index.ts` files only.
 */
export const repositoriesStayInside = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      leaves:
        'Repositories stay inside their module: export a reader, a writer or a service that has what the neighbours need.',
    },
  },
  create(context) {
    if (!/(^|[\\/])index\.ts$/.test(context.filename)) return {};
    const check = (node) => {
      if (node.source !== null && REPOSITORY.test(node.source.value)) context.report({ node, messageId: 'leaves' });
    };
    return { ExportNamedDeclaration: check, ExportAllDeclaration: check, ImportDeclaration: check };
  },
};
