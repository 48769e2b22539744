import { DateTimeField, TextField } from '../../../../platform/http/fields/index.js';

export class SsoRefusalResponse {
  @DateTimeField({})
  created_at!: string;

  @TextField({ description: 'Why the sign-in was refused', example: 'the assertion is for another audience' })
  reason!: string;

  @TextField({ description: 'The client address', nullable: true, example: '203.0.113.7' })
  ip!: string | null;
}
