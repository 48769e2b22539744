export { CaptureMailer, type CaptureMailerOptions } from './capture-mailer.js';
export { Mailer, type Mail, type MailResult } from './mailer.js';
export { ReportingMailer } from './reporting-mailer.js';
export { SmtpMailer, type SmtpMailerOptions } from './smtp-mailer.js';
