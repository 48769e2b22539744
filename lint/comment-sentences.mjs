/** Words that begin a fragment: a clause or a genitive that has no verb of its own. */
const FRAGMENT = /^(?:Of|That|Those|What|Whatever|Whoever)\b/;

/** A comment begins with a sentence. The reader must not have to find the subject and the verb. */
export const commentSentences = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      fragment:
        'Begin the comment with a sentence that has a subject and a verb, for example "Returns …", not with "{{word}}".',
    },
  },
  create: (context) => ({
    Program() {
      const { sourceCode } = context;
      for (const comment of sourceCode.getAllComments()) {
        if (continues(comment, sourceCode)) continue;
        const [word] = FRAGMENT.exec(textOf(comment)) ?? [];
        if (word !== undefined) context.report({ loc: comment.loc, messageId: 'fragment', data: { word } });
      }
    },
  }),
};

/** True for a line comment directly below another one. Both are parts of one text. */
function continues(comment, sourceCode) {
  if (comment.type !== 'Line') return false;
  const before = sourceCode.getTokenBefore(comment, { includeComments: true });
  return before?.type === 'Line' && before.loc.end.line === comment.loc.start.line - 1;
}

function textOf({ value }) {
  return value.replace(/^[\s*]+/, '');
}
