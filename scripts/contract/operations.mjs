/** The operations of an API document, with the shared parts of the document in their places. */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [], requestBody, responses, ...rest }]) => ({
      method: method.toUpperCase(),
      path,
      operation: {
        ...rest,
        parameters: parameters.map((one) => resolved(document, one)),
        ...(requestBody !== undefined && { requestBody: resolved(document, requestBody) }),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, response]) => [status, resolved(document, response)]),
        ),
      },
    })),
  );
}

/**
 * Returns the status that examples show: the 201 of an operation that creates something, whose 200 is a preview, and the
 * 303 of an operation that only redirects.
 */
export function statusOfExample(responses) {
  const statuses = Object.keys(responses);
  return ['201', statuses.find((one) => one.startsWith('2')), '303'].find((one) => statuses.includes(one));
}

export function resolved(document, part) {
  if (part.$ref === undefined) return part;
  const [kind, name] = part.$ref.replace('#/components/', '').split('/');
  const found = document.components[kind]?.[name];
  if (found === undefined) throw new Error(`docs/api/openapi.json has no ${part.$ref}.`);
  return found;
}
