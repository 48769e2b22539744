/** Maps a decorator of Nest to its replacement in this service. */
const REPLACEMENTS = {
  Body: 'Body of src/platform/http/inputs.ts',
  Headers: 'Headers of src/platform/http/inputs.ts',
  HttpCode: 'the `status` of @Documented (src/platform/http/documented.ts)',
  Param: 'IdParam or TextParam of src/platform/http/inputs.ts',
  Query: 'Query of src/platform/http/inputs.ts',
  RawBody: 'RawBody of src/platform/http/inputs.ts',
  Req: 'RawRequest of src/platform/http/inputs.ts',
};

/**
 * A controller reads its inputs by the decorators of `src/platform/http`. They validate and document an input. Nest's decorators have
 * the same names and compile, but the route then fails or leaves its input unchecked.
 */
export const ownInputs = {
  meta: {
    type: 'problem',
    schema: [
      {
        type: 'object',
        properties: { allow: { type: 'array', items: { enum: Object.keys(REPLACEMENTS) } } },
        additionalProperties: false,
      },
    ],
    defaultOptions: [{ allow: [] }],
    messages: { nest: 'Do not import {{name}} from @nestjs/common. Use {{replacement}}.' },
  },
  create: (context) => ({
    'ImportDeclaration[source.value="@nestjs/common"] > ImportSpecifier'(node) {
      const { name } = node.imported;
      if (!Object.hasOwn(REPLACEMENTS, name) || context.options[0].allow.includes(name)) return;
      context.report({ node, messageId: 'nest', data: { name, replacement: REPLACEMENTS[name] } });
    },
  }),
};
