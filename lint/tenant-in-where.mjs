/**
 * The methods of TypeORM's repository that find or change rows by a condition. The condition is the first parameter.
 */
const BY_CONDITION = new Set([
  'find',
  'findBy',
  'findOne',
  'findOneBy',
  'findOneOrFail',
  'findOneByOrFail',
  'findAndCount',
  'findAndCountBy',
  'count',
  'countBy',
  'exists',
  'existsBy',
  'update',
  'delete',
  'softDelete',
  'restore',
  'increment',
  'decrement',
]);
/** These methods write by the id in the entity. */
const BY_ENTITY = new Set(['save', 'remove', 'softRemove', 'recover', 'preload', 'upsert', 'query', 'clear']);
const TENANTS = new Set(['projectId', 'organizationId', 'userId']);
const TENANTS_THEMSELVES = new Set(['Project', 'Organization', 'User']);
const REASON = /^\s*(?:every tenant|tenant):\s*\S/;

/** A condition of TypeORM's repositories names its tenant, or gives in a comment the reason why it needs none. */
export const tenantInWhere = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      missing:
        'This condition names no tenant: give it projectId, organizationId or userId, or say why not: /* every tenant: … */, /* tenant: … */.',
      entity: 'Write what changes by a condition with its tenant, not by whatever id an entity carries.',
      kept: 'Call what the repository is for at once, so that its condition can be read.',
    },
  },
  create(context) {
    return {
      'CallExpression[callee.property.name=/^(repository|getRepository)$/]'(node) {
        const { parent } = node;
        if (parent.type !== 'MemberExpression' || parent.parent.type !== 'CallExpression') {
          return context.report({ node, messageId: 'kept' });
        }
        const call = parent.parent;
        const method = parent.property.name;
        const entity = node.arguments[0]?.name;
        if (BY_ENTITY.has(method)) return context.report({ node: parent.property, messageId: 'entity' });
        const isNamed =
          method === 'createQueryBuilder'
            ? chainNamesTenant(call, context.sourceCode)
            : !BY_CONDITION.has(method) || call.arguments.slice(0, 1).some((given) => namesTenant(given, entity));
        if (!isNamed && !isExplained(call, context.sourceCode))
          context.report({ node: parent.property, messageId: 'missing' });
      },
    };
  },
};

function namesTenant(node, entity) {
  if (node.type === 'ArrayExpression')
    return node.elements.length > 0 && node.elements.every((one) => namesTenant(one, entity));
  if (node.type !== 'ObjectExpression') return false;
  const keys = node.properties.flatMap((property) => (property.type === 'Property' ? [property] : []));
  const where = keys.find(({ key }) => key.name === 'where');
  if (where !== undefined) return namesTenant(where.value, entity);
  return keys.some(({ key }) => TENANTS.has(key.name) || (key.name === 'id' && TENANTS_THEMSELVES.has(entity)));
}

/**
 * The conditions of a query builder are text: one of them must compare a tenant with a parameter. An insert has no
 * condition.
 */
function chainNamesTenant(call, sourceCode) {
  let last = call;
  while (last.parent.type === 'MemberExpression' && last.parent.parent.type === 'CallExpression')
    last = last.parent.parent;
  const text = sourceCode.getText(last);
  return (
    /\.insert\(\)/.test(text) ||
    /\b(?:projectId|organizationId|userId|project_id|organization_id|user_id) = :/.test(text)
  );
}

function isExplained(call, sourceCode) {
  return sourceCode.getCommentsInside(call).some(({ value }) => REASON.test(value));
}
