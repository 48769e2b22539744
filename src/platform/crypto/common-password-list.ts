/** Passwords of 8 characters or more that head the published frequency lists, in lower case, separated by white space. */
export const MOST_COMMON_PASSWORDS = `
12345678 123456789 1234567890 12345678910 1234567891 0123456789 987654321 87654321 9876543210 0987654321 123123123
11223344 1122334455 112233445566 12341234 123454321 1234554321 123321123 123456123 123456654321 1234512345 12344321
11112222 11221122 12121212 123123321 147258369 147852369 159357456 159753456 741852963 789456123 963852741 456123789
78945612 14725836 15935755 25802580 31415926 314159265 27182818 13131313 69696969 10203040 1020304050 102030405060
20202020 20102010 19191919 24682468 13579246 1357924680 2468101214 01234567 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y
1qaz2wsx 1qaz2wsx3edc 1qazxsw2 zaq12wsx zaq1zaq1 zaq1xsw2 qazwsxedc qazwsx123 qazxswedc qwerty12 qwerty123
qwerty1234 qwerty12345 qwerty123456 qwertyui qwertyuiop qwertyu1 qwerty01 qwerty99 qwertyqwerty qweqweqwe qweasdzxc
qweasd123 qweasdzx asdfghjk asdfghjkl asdfasdf asdasdasd asdfqwer asdf1234 asdfjkl1 asdfghjkl1 asdqwe123 qwer1234
qwert123 qwert12345 qwe123qwe qwe12345 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 zxcvbnm1 zxcvbnm123 zxcvbnm, zxcvbnma
zxcasdqwe zxcv1234 1234qwer 1234asdf 123qweasd 123qwe123 123qweasdzxc 12qwaszx 12345qwert 123456qwerty 1234567q
12345678a 123456789a 123456789q 1234567a a1234567 a12345678 a123456789 q1234567 q12345678 q123456789 aa123456
aa12345678 aaa123456 ab123456 abc12345 abc123456 abcd1234 abcde123 abcde12345 abcdefgh abcdefghi abcdefghij
abcdef123 abcdefg1 abcabcabc abc123abc abc123123 123abc123 1a2b3c4d 1a2s3d4f a1b2c3d4 a1b2c3d4e5 a1s2d3f4 aaaaaaa1
1234abcd 12345abc 123456abc zzzzzzz1 xxxxxxx1 poiuytrewq mnbvcxz1 lkjhgfdsa password passw0rd p@ssw0rd p@ssword
pa55word pa$$word passwort passwords password0 password00 password01 password02 password1 password2 password3
password4 password5 password6 password7 password8 password9 password10 password11 password12 password13 password123
password1234 password12345 password123456 password21 password22 password69 password99 password2020 password2021
password2022 password2023 password2024 password2025 password2026 password1! password123! password! password.
password@123 password@1 password#1 passw0rd1 passw0rd123 p@ssw0rd1 p@ssw0rd123 p@ssword1 p@ssword123 p@55w0rd
pass1234 pass12345 pass123456 pass@123 pass@1234 passpass passpass1 passwordpassword mypassword mypassword1
newpassword newpassword1 thepassword yourpassword nopassword apassword changeme changeme1 changeme123 changeit
changethis letmein1 letmein12 letmein123 letmein2 letmein! letmeinnow welcome1 welcome12 welcome123 welcome1234
welcome2 welcome01 welcome@123 welcome1! welcome! w3lcome1 admin123 admin1234 admin12345 admin123456 admin@123
adminadmin admin888 administrator administrator1 root1234 rootroot toor1234 test1234 test12345 testtest testtest1
testing1 testing123 tester123 guest123 guest1234 guestguest user1234 username username1 default1 default123
defaultpassword temp1234 temppass temporary temp12345 secret12 secret123 topsecret supersecret mysecret secrets1
login123 login1234 access14 access123 access12 master12 master123 master1234 mastermaster server123 system123
system32 manager1 manager123 oracle123 postgres mysql123 database database1 internet internet1 computer computer1
computer123 compaq123 samsung1 samsung123 microsoft windows1 windows10 windows7 google123 facebook facebook1
facebook123 instagram youtube123 linkedin linkedin1 whatsapp snapchat telegram1 twitter1 twitter123 myspace1
iloveyou iloveyou1 iloveyou12 iloveyou123 iloveyou2 iloveyou3 iloveyou! iloveu12 iloveme1 iloveme2 ilovehim iloveher
iloveyouso ilovegod ilovejesus ilovemom ilovemyself loveyou1 loveyou2 lovelove loveme12 lovely12 lovers12 lover123
love1234 love12345 love4ever loveforever forever1 forever21 foreverlove foreveryoung trustno1 whatever whatever1
nothing1 something sunshine sunshine1 sunshine12 sunshine123 sunflower sunflower1 rainbow1 rainbow123 butterfly
butterfly1 butterfly123 princess princess1 princess12 princess123 princesa princess2 football football1 football12
football123 football2 baseball baseball1 baseball12 baseball123 basketball basketball1 volleyball softball softball1
hockey12 soccer12 soccer123 superman superman1 superman123 superman12 batman123 batman12 spiderman spiderman1
ironman1 wolverine avengers starwars starwars1 startrek startrek1 pokemon1 pokemon123 naruto12 naruto123 dragon12
dragon123 dragonball dragonball1 dragonfly monkey12 monkey123 monkey1234 shadow12 shadow123 jordan23 jordan123
michael1 michael12 michael123 michelle michelle1 jennifer jennifer1 jessica1 jessica123 ashley12 ashley123 charlie1
charlie123 charlotte daniel12 daniel123 danielle danielle1 jonathan jonathan1 joshua12 joshua123 matthew1 matthew123
anthony1 anthony12 andrew12 andrew123 nicholas nicholas1 benjamin benjamin1 alexander alexander1 alexandra
alexandra1 alexandre christian christian1 christina christine christopher christina1 elizabeth elizabeth1 isabella
gabriela gabriella gabriel1 samantha samantha1 stephanie stephanie1 stephen1 victoria victoria1 vanessa1 veronica
veronica1 patricia patricia1 patrick1 richard1 robert12 robert123 rebecca1 brittany brittany1 brandon1 brandon12
caroline caroline1 catherine courtney courtney1 cristina fernando fernanda francesco francisco franklin frederic
giovanni hannah12 harrison jasmine1 jeremiah kimberly kimberly1 lauren12 leonardo lorenzo1 madison1 margaret
marie123 martin12 melissa1 mercedes mercedes1 michaela mitchell mohammed mohamed1 muhammad nathaniel natalie1
natasha1 nicole12 nicole123 olivia12 pamela12 phillip1 priscilla raymond1 ricardo1 roberto1 rodrigo1 sebastian
sebastian1 sergio12 spencer1 terrence thomas12 thomas123 tiffany1 timothy1 valentina valentin valeria1 vincent1
virginia wilson12 zachary1 barcelona barcelona1 chelsea1 chelsea123 chelseafc arsenal1 arsenal123 liverpool
liverpool1 liverpool123 liverpoolfc manchester manutd123 juventus juventus1 realmadrid realmadrid1 bayern12
newcastle tottenham everton1 rangers1 celtic12 celtic1888 westham1 yankees1 yankees2 lakers24 lakers12 cowboys1
steelers steelers1 packers1 patriots patriots1 redskins redsox12 broncos1 raiders1 dolphins dolphin1 eagles12
giants12 bulldogs bulldog1 panther1 panthers wildcats wildcat1 warriors warrior1 champion champion1 champions
cricket1 cricket123 tennis12 swimming swimmer1 skateboard snowboard snowball snowman1 marathon fishing1 hunting1
gymnastics cheerleader cheer123 dancing1 guitar12 guitar123 drummer1 musicman music123 metallica metallica1 nirvana1
slipknot slipknot1 eminem12 beatles1 rockstar rockstar1 rocknroll blink182 greenday greenday1 evanescence linkinpark
coldplay1 madonna1 elvis123 jackson5 jackson1 onedirection chocolate chocolate1 chocolate12 cookie12 cookie123
cookies1 cupcake1 cherry12 strawberry strawberry1 blueberry pineapple watermelon cinnamon cinnamon1 pumpkin1
peanut12 pepper12 pepper123 ginger12 ginger123 banana12 banana123 orange12 orange123 apple123 apple1234 applepie
cheese12 cheesecake hamburger spaghetti cocacola cocacola1 pepsi123 heineken budweiser jackdaniels marlboro
marlboro1 diamond1 diamonds platinum goldfish golden12 silver12 silver123 crystal1 sapphire emerald1 purple12
purple123 yellow12 yellow123 blueblue blue1234 blue12345 redred12 green123 greengreen black123 blackcat blackjack
blackbird whitecat midnight midnight1 moonlight moonlight1 starlight stardust twilight twilight1 sunset12 summer12
summer123 summer01 summer2020 summer2021 summer2022 summer2023 summer2024 summer2025 winter12 winter123 winter2020
winter2021 winter2022 winter2023 winter2024 winter2025 spring12 spring123 spring2023 spring2024 spring2025 autumn12
autumn123 autumn2023 autumn2024 autumn2025 january1 february february1 september september1 october1 october10
november november1 november11 december december1 december12 saturday sunday12 monday12 monday123 thursday tuesday1
birthday birthday1 christmas christmas1 halloween halloween1 valentine valentine1 thanksgiving holiday1 vacation
mustang1 mustang12 corvette corvette1 camaro12 camaro69 ferrari1 ferrari123 porsche1 porsche911 lamborghini
mercedesbenz chevrolet chevelle chevy123 challenger charger1 harley12 harleydavidson yamaha12 kawasaki suzuki12
toyota12 hondacivic honda123 nissan12 subaru12 scorpion scorpion1 scorpio1 capricorn aquarius sagittarius leopard1
cheetah1 elephant elephant1 kangaroo crocodile alligator tiger123 tigers12 tigger12 tigger123 kitten12 kittykat
kitty123 hellokitty hellokitty1 puppy123 puppylove doggie12 doggy123 buster12 buster123 bailey12 bailey123 maggie12
maggie123 molly123 rocky123 lucky123 lucky777 lucky1234 luckyone bandit12 sparky12 smokey12 snoopy12 snoopy123
scooby12 scoobydoo garfield garfield1 mickey12 mickey123 mickeymouse minnie12 donald12 cinderella tinkerbell
tinkerbell1 winnie12 pooh1234 poohbear poohbear1 spongebob spongebob1 simpsons simpson1 southpark bartsimpson
harrypotter harrypotter1 hogwarts gandalf1 legolas1 frodo123 skywalker darthvader chewbacca matrix12 matrix123
morpheus terminator predator predator1 godzilla godzilla1 kingkong transformers optimus1 megatron minecraft
minecraft1 minecraft123 fortnite fortnite1 callofduty counterstrike warcraft warcraft1 worldofwarcraft starcraft
diablo12 diablo123 zelda123 nintendo nintendo1 nintendo64 playstation playstation2 playstation3 xbox3600 xbox1234
gamecube assassin assassin1 ninja123 samurai1 killer12 killer123 killer1234 hunter12 hunter123 hacker12 hacker123
phantom1 phoenix1 phoenix12 ranger12 renegade maverick maverick1 gunner12 gunners1 marines1 airforce airborne1
army1234 soldier1 trooper1 police12 police911 firefighter fireman1 freedom1 freedom12 freedom123 america1 america123
american american1 australia australia1 argentina brasil123 brazil12 california california1 canada12 carolina
chicago1 colombia colorado england1 england66 florida1 france98 germany1 houston1 hawaii12 ireland1 istanbul
istanbul34 italia12 jamaica1 japan123 london12 london123 losangeles mexico12 mexico123 newyork1 newyork12 newyork123
pakistan pakistan1 pakistan123 paradise paradise1 paris123 portugal russia12 scotland scotland1 singapore
switzerland texas123 thailand tokyo123 trinidad turkey12 venezuela vietnam1 washington india123 indian12 indonesia
jesus123 jesuschrist jesusislord jesus777 godisgood godislove godbless godblessme blessed1 blessing blessings
heaven12 angel123 angel1234 angels12 angelina angelica angelito guardian faith123 hope1234 miracle1 believe1
christ12 church12 bible123 praisegod hallelujah beautiful beautiful1 gorgeous gorgeous1 cutiepie cutiepie1
sweetheart sweetheart1 sweetie1 sweetpea sweetpea1 sweet123 sweetness honeybee honey123 babygirl babygirl1
babygirl12 babygirl123 babyboy1 babyblue babydoll baby1234 babylove princess01 friends1 friends12 friends123
friendship bestfriend bestfriends family12 family123 familia1 mommy123 mother12 daddy123 daddysgirl father12
brother1 sister12 grandma1 husband1 darling1 precious precious1 pretty12 hottie12 badgirl1 goodgirl goodboy1
bigdaddy bigboy12 stupid12 idiot123 loser123 nobody12 nobody123 somebody thuglife player12 player123 playboy1
playboy69 westside eastside southside ghetto12 hiphop12 rapper12 tupac123 2pac4life reggae12 marley12 bobmarley
bobmarley1 mushroom amsterdam hello123 hello1234 hello12345 hellohello helloworld helloworld1 hello12! goodbye1
goodluck goodluck1 goodmorning computer12 security security1 security123 business business1 company1 company123
marketing accounting student1 student123 teacher1 teacher123 school12 school123 college1 college123 university
scooter1 sandwich sandra12 monster1 monster12 monster123 vampire1 zombie12 ghost123 lucifer1 stargate stargate1
galaxy12 universe universe1 infinity infinity1 einstein einstein1 newton12 genesis1 revolution evolution discovery
discover explorer explorer1 adventure enterprise voyager1 atlantis titanic1 undertaker undertaker1 johncena
johncena1 wrestling wrestler1 hardcore hardcore1 extreme1 xtreme12 maximus1 gladiator spartan1 spartan117 spartacus
hercules achilles apollo11 apollo12 poseidon olympus1 pegasus1 unicorn1 unicorn123 mermaid1 fairy123 wizard12
merlin12 merlin123 magic123 magician mystery1 phantom12 electric electronic engineer engineer1 mechanic carpenter
plumber1 builder1 electra1 turbo123 racecar1 racing12 speedy12 speedracer motorola nokia123 nokia6300 iphone12
iphone123 blackberry android1 android123 samsung12 toshiba1 panasonic logitech pavilion inspiron thinkpad macintosh
macbook1 photoshop wordpass wordpass1 keyboard keyboard1 monitor1 printer1 qwerty!@ !qaz2wsx !qaz@wsx 1qaz!qaz
1qaz@wsx zaq!2wsx qwerty!1 !@#$%^&* !@#$%^&*( abc@1234 abcd@1234 abc123!@# admin123! india@123 test@123 user@123
root@123 hello@123 demo1234 demodemo demo12345 example1 sample12 sample123 trial123 backup12 backup123 support1
support123 service1 service123 operator operator1 operator123 qwaszx12 plokijuh okmijnuhb wsxedcrfv rfvtgbyhn
tgbyhnujm edcrfvtgb 0okm9ijn 9ijn8uhb mko09ijn nko98uhb 3edc4rfv 4rfv5tgb 5tgb6yhn 6yhn7ujm 7ujm8ik, wsx123456
correcthorsebatterystaple thequickbrownfox letmeinplease opensesame open1234 sesame12 kissme12 kisskiss kiss1234
hugsandkisses tequiero tequiero1 teamomucho teamo123 teamo1234 mariposa mariposa1 estrella estrella1 corazon1
amorcito amor1234 amorlove chocolat soleil12 bonjour1 bonjour123 azertyuiop azerty123 azerty12 azerty1234 jetaime1
motdepasse doudou12 loulou12 marseille marseille13 schatz12 passwort1 passwort123 hallo123 hallo1234 hallohallo
schalke04 borussia bvb09bvb deutschland sommer12 sommer123 sommer2024 sommer2025 winter01 qwertz123 qwertzui
qwertzuiop yxcvbnm1 geheim12 geheim123 kontrasena contrasena contraseña contrasena1 senha123 senha1234 mudar123
brasil12 flamengo corinthians palmeiras vasco123 internacional gremio12 juventude ciaociao amoremio andrea12
francesca alessandro alessandra giuseppe antonio1 napoli12 napoli1926 forzainter forzamilan ninjutsu polska12
polska123 haslo123 zaqwsx12 kochanie kochanie1 mateusz1 marcin12 bartek12 natalia1 karolina agnieszka qweqwe123
parol123 privet12 lubov123 natasha12 samsung01 qazqazqaz wsxwsxwsx woaini1314 woaini520 woaini123 5201314520
1314520520 5201314a a5201314 asd123456 asd12345 zxc123456 zxc12345 qwe123456 qq123456 qq123456789 wang1234 zhang123
as123456 w123456789 z123456789 s123456789 d123456789 aaaa1111 1111aaaa a1a1a1a1 abcd12345 abcd123456 xiaoming
taobao123 sakura12 doraemon doraemon1 pikachu1 sasuke12 hatsunemiku
`;
