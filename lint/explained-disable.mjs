const DIRECTIVE = /^\s*(?:eslint|oxlint)-disable(-line|-next-line)?\b/;

/**
 * A comment that switches a rule off gives a reason after `--`. Faults are reported on line 0, the only line that a
 * directive cannot switch off.
 */
export const explainedDisable = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { unexplained: 'Line {{line}} switches a rule off: name the rule and say why after " -- ".' },
  },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        if (!DIRECTIVE.test(comment.value)) continue;
        const [rules = '', ...reason] = comment.value.replace(DIRECTIVE, '').split(/\s-{2,}\s/);
        if (rules.trim() !== '' && reason.join('').trim() !== '') continue;
        const data = { line: String(comment.loc.start.line) };
        context.report({ loc: { line: 0, column: 0 }, messageId: 'unexplained', data });
      }
    },
  }),
};
