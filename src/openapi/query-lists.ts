import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation, Parameter } from './operation.js';

interface QueryParameter extends Parameter {
  readonly schema?: { readonly type?: string };
  style?: string;
  explode?: boolean;
}

/** Says of lists in queries that each of their values comes by itself: the default, which not every generator knows. */
export function explodeQueryLists(document: OpenAPIObject): void {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]);
  for (const { parameters = [] } of operations) {
    for (const parameter of parameters as QueryParameter[]) {
      if (parameter.in !== 'query' || parameter.schema?.type !== 'array') continue;
      parameter.style = 'form';
      parameter.explode = true;
    }
  }
}
