import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation, Parameter } from './operation.js';

interface QueryParameter extends Parameter {
  readonly schema?: { readonly type?: string };
  style?: string;
  explode?: boolean;
}

/**
 * Declares that each value of a list in a query is a separate parameter. That is the default, but not every generator
 * applies it.
 */
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
