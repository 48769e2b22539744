/** Nest injects by the class that the type of a parameter leaves at run time. An `import type` leaves no class. */
export const injectedValueImport = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { erased: '{{name}} is injected by its type: import it as a value, or name a token with @Inject().' },
  },
  create: (context) => {
    const erased = new Set();
    return {
      ImportDeclaration(node) {
        for (const specifier of node.specifiers) {
          if (node.importKind === 'type' || specifier.importKind === 'type') erased.add(specifier.local.name);
        }
      },
      'MethodDefinition[kind="constructor"]'(node) {
        if ((node.parent.parent.decorators ?? []).length === 0) return;
        for (const parameter of node.value.params) {
          if ((parameter.decorators ?? []).length > 0) continue;
          const binding = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
          const name = binding.typeAnnotation?.typeAnnotation?.typeName?.name;
          if (erased.has(name)) context.report({ node: parameter, messageId: 'erased', data: { name } });
        }
      },
    };
  },
};
