/**
 * Domains of mail services at which anybody can get an address. No organization can vouch for such addresses, not even
 * when a platform administrator approves the domain by mistake.
 */
export const PUBLIC_MAIL_DOMAINS: ReadonlySet<string> = new Set(
  `126.com 139.com 163.com aim.com aliyun.com alice.it aol.com aol.de arcor.de att.net bellsouth.net bigpond.com bk.ru
   bluewin.ch bol.com.br btinternet.com charter.net comcast.net cox.net daum.net duck.com earthlink.net email.com
   email.cz fastmail.com fastmail.fm foxmail.com free.fr freemail.hu freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de
   gmx.fr gmx.net googlemail.com hanmail.net hey.com hotmail.be hotmail.ca hotmail.co.uk hotmail.com hotmail.com.br
   hotmail.de hotmail.es hotmail.fr hotmail.it hotmail.nl hushmail.com icloud.com inbox.lv inbox.ru interia.pl kolabnow.com
   laposte.net libero.it list.ru live.ca live.co.uk live.com live.com.au live.de live.fr live.it live.nl mac.com mail.com
   mail.de mail.ru mailbox.org mailfence.com mailinator.com me.com msn.com naver.com nate.com netzero.net o2.pl
   online.de onet.pl optonline.net orange.fr outlook.com outlook.de outlook.es outlook.fr outlook.it outlook.jp
   outlook.pt pm.me posteo.de posteo.net proton.me protonmail.ch protonmail.com qq.com rambler.ru rediffmail.com
   rocketmail.com runbox.com sbcglobal.net seznam.cz sfr.fr shaw.ca sina.com sky.com skynet.be sohu.com startmail.com
   t-online.de terra.com.br tiscali.it tuta.com tuta.io tutamail.com tutanota.com tutanota.de ukr.net uol.com.br
   verizon.net virgilio.it virginmedia.com vodafone.de wanadoo.fr web.de windowslive.com wp.pl xtra.co.nz ya.ru
   yahoo.ca yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.mx
   yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com yandex.ru yeah.net ymail.com zoho.com zohomail.com`.split(/\s+/),
);
