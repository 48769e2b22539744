import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation, Parameter, Response } from './operation.js';
import type { Example, ExampleBody, Examples } from './examples.js';

type Given = Parameter & { example?: unknown };
type Referable<T> = T | { readonly $ref: string };

/**
 * Adds an example to the body of each request and each success, and to the parameters of paths and queries. A parameter
 * that operations share gets the example of the first operation that has one. A success that operations share becomes a
 * separate one for each operation with an example, and stays shared for the others.
 */
export function putExamples(document: OpenAPIObject, examples: Examples): void {
  const components = (document.components ??= {});
  const shared = (components.responses ?? {}) as Record<string, Response>;
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item as Record<string, Operation>)) {
      const { parameters, request, answer } = examples[operation.operationId ?? ''] ?? {};
      if (parameters !== undefined) giveParameters(operation, parameters, document);
      const { requestBody } = operation;
      if (requestBody?.content !== undefined) requestBody.content = withExample(requestBody.content, request);
      if (answer !== undefined) answerWith(operation, answer, shared);
    }
  }
  const text = JSON.stringify(document.paths);
  components.responses = Object.fromEntries(
    Object.entries(shared).filter(([name]) => text.includes(`"#/components/responses/${name}"`)),
  );
}

function giveParameters(
  { parameters = [] }: Operation,
  given: NonNullable<Example['parameters']>,
  { components }: OpenAPIObject,
): void {
  const shared = (components?.parameters ?? {}) as unknown as Record<string, Given>;
  for (const parameter of parameters as Referable<Given>[]) {
    const whole = '$ref' in parameter ? shared[parameter.$ref.replace(/.*\//, '')] : parameter;
    if (whole === undefined || (whole.in !== 'path' && whole.in !== 'query')) continue;
    const example = given[whole.name];
    if (example !== undefined) whole.example ??= example;
  }
}

/** Adds the example to the 201 of an operation that creates something, whose 200 is a preview, else to its success. */
function answerWith(operation: Operation, answer: ExampleBody, shared: Readonly<Record<string, Response>>): void {
  const responses = operation.responses as Record<string, Referable<Response>>;
  const status = '201' in responses ? '201' : Object.keys(responses).find((code) => code.startsWith('2'));
  const found = status === undefined ? undefined : responses[status];
  const whole = found === undefined || !('$ref' in found) ? found : shared[found.$ref.replace(/.*\//, '')];
  if (status === undefined || whole?.content === undefined) return;
  operation.responses[status] = { ...whole, content: withExample(whole.content, answer) };
}

function withExample<T extends object>(content: Record<string, T>, body: ExampleBody | undefined): Record<string, T> {
  const media = body === undefined ? undefined : content[body.type];
  if (body === undefined || media === undefined) return content;
  return { ...content, [body.type]: { ...media, example: body.value } };
}
