import { UrlField, UuidField } from '../../../../platform/http/validation/index.js';

export class PortalRequest {
  @UuidField({ description: 'The organization whose payments are looked after' })
  organization_id!: string;

  @UrlField({
    optional: true,
    nullable: true,
    description: 'Where the portal leads back to; left out: the address that the deployment has set',
  })
  return_url?: string | null;
}

export class PortalResponse {
  @UrlField({ description: 'Where to send the browser; it works for a short time' })
  url!: string;
}
