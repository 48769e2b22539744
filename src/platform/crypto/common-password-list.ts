/** Common passwords that the published list lacks: 8 characters or more, in lower case, separated by white space. */
export const FURTHER_COMMON_PASSWORDS = `
0123456789 987654321 87654321 9876543210 0987654321 123123123 12341234 1234512345 12121212 15935755 27182818 13131313
69696969 20202020 20102010 19191919 24682468 2468101214 01234567 zaq1zaq1 qwertyqwerty qweqweqwe asdasdasd qwe12345
zxcvbnm, aa12345678 abcdefgh abcdefghi abcdefghij abcabcabc abc123123 poiuytrewq lkjhgfdsa p@ssword pa$$word
password02 password12345 password123456 password2020 password2021 password2022 password2023 password2024 password2025
password2026 password1! password123! password. password@123 password@1 password#1 passw0rd123 p@ssw0rd1 p@ssw0rd123
p@ssword1 p@ssword123 p@55w0rd pass12345 pass123456 pass@123 pass@1234 passpass1 mypassword1 newpassword1 thepassword
yourpassword apassword changeme123 changethis letmein12 letmein! welcome1234 welcome@123 welcome1! welcome! w3lcome1
admin1234 admin12345 admin123456 admin@123 adminadmin admin888 administrator1 root1234 rootroot toor1234 test12345
testtest1 tester123 guest123 guest1234 guestguest user1234 username1 default123 defaultpassword temp12345 supersecret
secrets1 login123 login1234 master1234 mastermaster server123 system123 manager123 oracle123 postgres mysql123
database1 computer123 windows10 windows7 facebook1 facebook123 instagram youtube123 linkedin linkedin1 whatsapp
snapchat telegram1 twitter1 twitter123 iloveyou3 iloveu12 iloveyouso lovely12 lovers12 foreverlove sunshine12
sunshine123 rainbow123 butterfly123 princess12 princess123 baseball123 dragonball1 monkey1234 jessica123 matthew123
christina1 veronica1 brandon12 mohamed1 olivia12 pamela12 rodrigo1 sergio12 wilson12 barcelona1 chelsea123
liverpool123 manutd123 juventus1 realmadrid1 bayern12 celtic12 giants12 cricket123 gymnastics cheer123 dancing1
guitar123 coldplay1 onedirection chocolate12 strawberry1 cinnamon1 banana123 orange123 apple1234 golden12 silver123
purple123 yellow123 blue12345 redred12 moonlight1 twilight1 sunset12 summer123 summer2020 summer2021 summer2022
summer2023 summer2024 summer2025 winter123 winter2020 winter2021 winter2022 winter2023 winter2024 winter2025 spring123
spring2023 spring2024 spring2025 autumn12 autumn123 autumn2023 autumn2024 autumn2025 february1 september1 october10
november11 december12 sunday12 monday123 christmas1 halloween1 valentine1 thanksgiving mustang12 camaro12 ferrari123
mercedesbenz chevy123 harleydavidson suzuki12 toyota12 nissan12 subaru12 scorpion1 tigger123 kitten12 hellokitty1
puppylove doggie12 bailey123 lucky1234 snoopy123 mickey123 minnie12 donald12 tinkerbell1 winnie12 pooh1234 spongebob1
bartsimpson harrypotter1 frodo123 godzilla1 minecraft1 fortnite fortnite1 worldofwarcraft diablo12 zelda123 xbox3600
xbox1234 assassin1 killer1234 hacker12 hacker123 phoenix12 gunner12 airborne1 army1234 police12 police911 freedom12
freedom123 america123 brasil123 brazil12 england66 hawaii12 istanbul34 italia12 japan123 mexico12 mexico123 newyork12
newyork123 pakistan123 paradise1 russia12 scotland1 switzerland tokyo123 turkey12 vietnam1 indian12 godblessme
heaven12 angel1234 angels12 hope1234 believe1 christ12 church12 bible123 praisegod gorgeous1 cutiepie1 sweetheart1
sweetpea1 babygirl12 babygirl123 princess01 friends12 friends123 bestfriends family12 family123 familia1 father12
sister12 husband1 pretty12 hottie12 badgirl1 idiot123 nobody12 nobody123 player12 player123 playboy69 ghetto12
hiphop12 rapper12 tupac123 2pac4life reggae12 bobmarley1 hello12345 helloworld1 hello12! goodluck1 security123
business1 company1 company123 student123 teacher123 school123 college123 sandra12 monster12 zombie12 stargate1
galaxy12 universe1 infinity1 einstein1 newton12 undertaker1 johncena1 wrestler1 xtreme12 olympus1 unicorn123 fairy123
merlin123 phantom12 engineer1 builder1 turbo123 racing12 speedy12 speedracer iphone12 iphone123 android1 android123
samsung12 macbook1 keyboard1 qwerty!@ !qaz@wsx qwerty!1 !@#$%^&* !@#$%^&*( abc@1234 abcd@1234 abc123!@# admin123!
india@123 test@123 user@123 root@123 hello@123 demo1234 demodemo demo12345 example1 sample12 sample123 trial123
backup12 backup123 support123 service123 operator1 operator123 okmijnuhb wsxedcrfv tgbyhnujm edcrfvtgb 9ijn8uhb
nko98uhb 7ujm8ik, wsx123456 correcthorsebatterystaple thequickbrownfox letmeinplease sesame12 kissme12 kiss1234
hugsandkisses tequiero1 teamomucho teamo123 teamo1234 mariposa1 estrella1 corazon1 amor1234 amorlove soleil12
bonjour123 azerty1234 jetaime1 doudou12 loulou12 marseille13 schatz12 passwort123 hallo1234 hallohallo bvb09bvb
sommer12 sommer123 sommer2024 sommer2025 qwertz123 qwertzui qwertzuiop yxcvbnm1 geheim12 geheim123 kontrasena
contraseña contrasena1 senha1234 mudar123 brasil12 corinthians vasco123 internacional gremio12 juventude napoli12
napoli1926 forzainter forzamilan polska12 polska123 haslo123 zaqwsx12 kochanie1 mateusz1 marcin12 bartek12 privet12
lubov123 natasha12 samsung01 qazqazqaz wsxwsxwsx woaini1314 woaini520 woaini123 5201314520 1314520520 5201314a
a5201314 wang1234 zhang123 w123456789 d123456789 a1a1a1a1 xiaoming taobao123 sakura12 doraemon1 hatsunemiku
`;
