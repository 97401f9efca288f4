/** Names as they are written, each with how its people spell it in an address: `Юлия/yulia`. */
export interface Place {
  country: string
  cities: string[]
  given: Spelling[]
  family: Spelling[]
  /** What companies there are called after. */
  words: Spelling[]
  /** Behind a company's name. */
  forms: string[]
}

export interface Spelling {
  written: string
  /** Lower case letters of ASCII. */
  latin: string
}

const place = (
  country: string,
  lists: Record<'cities' | 'given' | 'family' | 'words' | 'forms', string>,
): Place => ({
  country,
  cities: lists.cities.split(', '),
  given: spellings(lists.given),
  family: spellings(lists.family),
  words: spellings(lists.words),
  forms: lists.forms.split(', '),
})

const spellings = (list: string): Spelling[] =>
  list.split(', ').map((entry) => {
    const [written = '', latin] = entry.split('/')
    return { written, latin: latin ?? plain(written) }
  })

/** Accents off, and what has none of its own written out. */
const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[øö]/g, 'o')
    .replace(/æ/g, 'ae')
    .replace(/ł/g, 'l')
    .replace(/ı/g, 'i')
    .normalize('NFD')
    .replace(/[^a-z]/g, '')

export const places: Place[] = [
  place('United States', {
    cities: 'New York, Austin, Chicago, Seattle, Denver, Boston, Atlanta',
    given:
      'Olivia, Emma, Ava, Sophia, Mia, Charlotte, Liam, Noah, James, Henry, Lucas, Ethan, Aaliyah, Jamal, Camila, Diego',
    family:
      'Carter, Brooks, Hayes, Foster, Reed, Bennett, Coleman, Simmons, Alvarez, Washington, Kim, Nguyen, Ortiz, Sullivan',
    words: 'Summit, Harbor, Cedar, Beacon, Granite, Prairie, Sequoia, Lakeside, Redwood, Frontier',
    forms: 'Inc., LLC, Corp.',
  }),
  place('United Kingdom', {
    cities: 'London, Manchester, Bristol, Leeds, Edinburgh, Cardiff, Belfast',
    given:
      'Amelia, Isla, Freya, Poppy, Imogen, Priya, Oliver, George, Alfie, Rhys, Callum, Hamish, Tariq, Grace',
    family:
      'Ashworth, Hughes, Fletcher, Bradshaw, Whitfield, Patel, Mackenzie, Pritchard, Okafor, Thornton, Hussain, Barlow',
    words:
      'Thames, Ashdown, Kestrel, Pennine, Ironbridge, Foxglove, Larkfield, Merchant, Stonegate, Wharf',
    forms: 'Ltd, PLC, LLP',
  }),
  place('Germany', {
    cities: 'Berlin, München, Hamburg, Köln, Leipzig, Stuttgart, Nürnberg',
    given:
      'Anna, Lena, Johanna, Katrin, Jörg, Björn, Lukas, Felix, Matthias, Käthe, Sören, Leyla, Friederike, Uwe',
    family:
      'Müller/mueller, Schäfer/schaefer, Köhler/koehler, Weiß, Krüger/krueger, Vogel, Brandt, Lindner, Yılmaz, Jäger/jaeger, Hoffmann, Albrecht',
    words:
      'Nordlicht, Eichenhof, Rheinwerk, Blaupunkt, Lindenhain, Steinfels, Sonnentau, Hafenkante, Waldmeister, Silberbach',
    forms: 'GmbH, AG, KG',
  }),
  place('France', {
    cities: 'Paris, Lyon, Marseille, Nantes, Bordeaux, Lille, Strasbourg',
    given:
      'Chloé, Élodie, Amélie, Zoé, Inès, Margaux, Hugo, Théo, Rémi, Jérôme, Mathéo, François, Aïcha, Loïc',
    family:
      'Lefèvre, Moreau, Girard, Bélanger, Chevalier, Dupré, Fournier, Mercier, Benali, Rousseau, Gauthier, Perrin',
    words:
      'Lumière, Belcourt, Rivage, Hirondelle, Montclair, Garonne, Cévennes, Aurore, Malouine, Belfontaine',
    forms: 'SARL, SAS, SA',
  }),
  place('Spain', {
    cities: 'Madrid, Barcelona, Valencia, Sevilla, Bilbao, Málaga, Zaragoza',
    given:
      'Lucía, Sofía, María, Begoña, Inés, Nuria, Álvaro, Íñigo, Javier, Óscar, Sergio, Iván, Marta, Andrés',
    family:
      'García, Fernández, Ibáñez, Núñez, Castaño, Ortega, Vidal, Serrano, Domínguez, Muñoz, Peña, Etxeberria',
    words:
      'Mirador, Alameda, Olivar, Faro, Guadiana, Horizonte, Sierra, Almendro, Brújula, Cantábrico',
    forms: 'S.L., S.A.',
  }),
  place('Italy', {
    cities: 'Milano, Roma, Torino, Bologna, Napoli, Firenze, Verona',
    given:
      'Giulia, Chiara, Francesca, Martina, Niccolò, Matteo, Lorenzo, Davide, Alessia, Elena, Riccardo, Tommaso',
    family:
      'Rossi, Bianchi, Ferrari, Esposito, Colombo, Ricci, Marchetti, Conti, Gallo, De Luca, Moretti, Barbieri',
    words:
      'Aurora, Levante, Castello, Orizzonte, Cipresso, Vesuvio, Ponente, Laguna, Torre, Girasole',
    forms: 'S.r.l., S.p.A.',
  }),
  place('Portugal', {
    cities: 'Lisboa, Porto, Braga, Coimbra, Aveiro, Faro',
    given:
      'Beatriz, Inês, Conceição, Matilde, João, Simão, Tomás, Duarte, Luís, Mariana, Rúben, Sofia',
    family:
      'Gonçalves, Araújo, Magalhães, Teixeira, Simões, Brandão, Carvalho, Pinto, Sequeira, Falcão',
    words: 'Atlântico, Azulejo, Farol, Ribeira, Serra, Cortiça, Maré, Douro, Alfama, Mondego',
    forms: 'Lda., S.A.',
  }),
  place('Brazil', {
    cities: 'São Paulo, Rio de Janeiro, Belo Horizonte, Curitiba, Recife, Florianópolis',
    given:
      'Ana, Júlia, Letícia, Thaís, Vitória, Antônio, Caio, Émerson, Fábio, Gustavo, Renata, Sérgio',
    family:
      'Silva, Souza, Conceição, Ribeiro, Barbosa, Assunção, Nakamura, Cardoso, Moura, Vasconcelos',
    words:
      'Ipê, Jacarandá, Cerrado, Araucária, Mandacaru, Tropical, Paineira, Amazônia, Litoral, Bandeirante',
    forms: 'Ltda., S.A.',
  }),
  place('Netherlands', {
    cities: 'Amsterdam, Rotterdam, Utrecht, Eindhoven, Groningen',
    given: 'Sanne, Fenna, Maaike, Noor, Daan, Sem, Joris, Thijs, Willemijn, Ruben, Fatima, Bram',
    family:
      'de Vries, van Dijk, Bakker, Visser, Smits, Hoekstra, Postma, Kuipers, van den Berg, El Amrani',
    words:
      'Polder, Zeewind, Grachten, Duinrand, Molenaar, Lagewei, Noorderlicht, Waterlijn, Kade, Tulp',
    forms: 'B.V., N.V.',
  }),
  place('Poland', {
    cities: 'Warszawa, Kraków, Wrocław, Gdańsk, Poznań, Łódź',
    given:
      'Agnieszka, Małgorzata, Zuzanna, Łucja, Paweł, Grzegorz, Michał, Stanisław, Kasia, Jędrzej',
    family:
      'Wójcik, Kamiński, Zieliński, Dąbrowski, Szymański, Woźniak, Jabłoński, Król, Wiśniewska, Pawłowska',
    words: 'Wisła, Bursztyn, Żubr, Sowa, Tatry, Mazury, Jesion, Granit, Świt, Brzoza',
    forms: 'Sp. z o.o., S.A.',
  }),
  place('Sweden', {
    cities: 'Stockholm, Göteborg, Malmö, Uppsala, Umeå',
    given: 'Elsa, Astrid, Åsa, Märta, Linnéa, Björn, Göran, Oskar, Axel, Håkan, Saga, Nils',
    family:
      'Lindqvist, Åkesson, Öberg, Nyström, Sjöberg, Ekström, Bergman, Hedlund, Wallin, Söderberg',
    words:
      'Norrsken, Fjäll, Björkdal, Skärgård, Älvkraft, Granit, Solgläntan, Vinterhav, Lingon, Ekliden',
    forms: 'AB',
  }),
  place('Turkey', {
    cities: 'İstanbul, Ankara, İzmir, Bursa, Antalya',
    given: 'Ayşe, Elif, Zeynep, Gülşah, Defne, Mehmet, Emre, Çağrı, Özgür, Kerem, Işıl, Burak',
    family: 'Yılmaz, Kaya, Demir, Şahin, Çelik, Öztürk, Aydın, Özdemir, Koç, Güneş',
    words: 'Anadolu, Boğaziçi, Lale, Toros, Çınar, Ege, Yıldız, Pamukkale, Kervan, Deniz',
    forms: 'A.Ş., Ltd. Şti.',
  }),
  place('Greece', {
    cities: 'Αθήνα, Θεσσαλονίκη, Πάτρα, Ηράκλειο',
    given:
      'Γιώργος/giorgos, Ελένη/eleni, Κατερίνα/katerina, Νίκος/nikos, Μαρία/maria, Δημήτρης/dimitris, Σοφία/sofia, Κώστας/kostas, Ιωάννα/ioanna, Θανάσης/thanasis',
    family:
      'Παπαδόπουλος/papadopoulos, Νικολάου/nikolaou, Γεωργίου/georgiou, Καραγιάννης/karagiannis, Οικονόμου/oikonomou, Βλάχος/vlachos, Αντωνίου/antoniou, Ζαφειρίου/zafeiriou',
    words:
      'Αιγαίο/aigaio, Ελιά/elia, Όλυμπος/olympos, Φάρος/faros, Ήλιος/ilios, Κύμα/kyma, Δελφίνι/delfini, Άνεμος/anemos',
    forms: 'Α.Ε., Ε.Π.Ε.',
  }),
  place('Ukraine', {
    cities: 'Київ, Львів, Одеса, Дніпро, Харків',
    given:
      'Олена/olena, Юлія/yuliia, Оксана/oksana, Дарина/daryna, Андрій/andrii, Сергій/serhii, Тарас/taras, Богдан/bohdan, Ірина/iryna, Максим/maksym',
    family:
      'Шевченко/shevchenko, Коваленко/kovalenko, Бондар/bondar, Ткачук/tkachuk, Мельник/melnyk, Кравець/kravets, Лисенко/lysenko, Гончар/honchar',
    words:
      'Калина/kalyna, Дніпро/dnipro, Карпати/karpaty, Світанок/svitanok, Явір/yavir, Січ/sich, Барвінок/barvinok, Лан/lan',
    forms: 'ТОВ, ПрАТ',
  }),
  place('Bulgaria', {
    cities: 'София, Пловдив, Варна, Бургас',
    given:
      'Иванка/ivanka, Десислава/desislava, Гергана/gergana, Петя/petya, Георги/georgi, Димитър/dimitar, Стоян/stoyan, Николай/nikolay',
    family:
      'Иванов/ivanov, Петрова/petrova, Димитров/dimitrov, Стоянова/stoyanova, Тодоров/todorov, Ангелова/angelova, Колев/kolev, Христова/hristova',
    words:
      'Витоша/vitosha, Роза/roza, Марица/maritsa, Перла/perla, Балкан/balkan, Тракия/trakia, Зора/zora, Орфей/orfey',
    forms: 'ООД, АД',
  }),
  place('Israel', {
    cities: 'תל אביב, ירושלים, חיפה, באר שבע',
    given:
      'נועה/noa, תמר/tamar, מיכל/michal, שירה/shira, דוד/david, יונתן/yonatan, איתי/itai, אורי/uri, רחל/rachel, עומר/omer',
    family:
      'כהן/cohen, לוי/levi, מזרחי/mizrahi, פרידמן/friedman, ביטון/biton, אברהם/avraham, גולן/golan, שפירא/shapira',
    words:
      'ארז/erez, כרמל/carmel, אופק/ofek, גלים/galim, שקד/shaked, נחל/nahal, תבור/tavor, מגדלור/migdalor',
    forms: 'בע״מ',
  }),
  place('Egypt', {
    cities: 'القاهرة, الإسكندرية, الجيزة, أسوان',
    given:
      'محمد/mohamed, أحمد/ahmed, فاطمة/fatma, مريم/mariam, يوسف/youssef, نور/nour, خالد/khaled, سارة/sara, عمر/omar, هبة/heba',
    family:
      'حسن/hassan, السيد/elsayed, إبراهيم/ibrahim, منصور/mansour, عبدالله/abdallah, فؤاد/fouad, شريف/sherif, رمضان/ramadan',
    words:
      'النيل/nile, الأهرام/ahram, لوتس/lotus, المنارة/manara, الصحراء/sahara, الفجر/fajr, الواحة/waha, النخيل/nakheel',
    forms: 'ش.م.م., ذ.م.م.',
  }),
  place('United Arab Emirates', {
    cities: 'دبي, أبوظبي, الشارقة',
    given:
      'عائشة/aisha, حصة/hessa, سلطان/sultan, راشد/rashid, ليلى/layla, منى/mona, حمدان/hamdan, زايد/zayed',
    family:
      'المنصوري/almansoori, النعيمي/alnuaimi, الكعبي/alkaabi, الشامسي/alshamsi, المري/almarri, الهاشمي/alhashmi',
    words:
      'الأفق/ofoq, اللؤلؤة/lulua, الخليج/khaleej, الصقر/saqr, الميناء/mina, النجم/najm, الريادة/riyada',
    forms: 'ش.ذ.م.م., م.م.ح',
  }),
  place('India', {
    cities: 'मुंबई, दिल्ली, Bengaluru, पुणे, Chennai, जयपुर',
    given:
      'अनन्या/ananya, प्रिया/priya, आरव/aarav, विक्रम/vikram, मीरा/meera, Rohan, Kavya, Arjun, Lakshmi, Sanjay, राहुल/rahul, नेहा/neha',
    family:
      'शर्मा/sharma, गुप्ता/gupta, Iyer, Reddy, मेहता/mehta, Banerjee, Nair, सिंह/singh, Desai, जोशी/joshi',
    words:
      'Himalaya, गंगा/ganga, Banyan, कमल/kamal, Deccan, Malabar, सूर्य/surya, Monsoon, Peacock, Sandalwood',
    forms: 'Pvt. Ltd., Ltd.',
  }),
  place('Thailand', {
    cities: 'กรุงเทพมหานคร, เชียงใหม่, ภูเก็ต',
    given:
      'สมชาย/somchai, สุดา/suda, อนันต์/anan, มาลี/malee, กิตติ/kitti, นภา/napa, วิชัย/wichai, พิมพ์/pim',
    family: 'ใจดี/jaidee, สุขสม/suksom, ทองดี/thongdee, ศรีสุข/srisuk, บุญมี/boonmee, แสงทอง/saengthong',
    words:
      'ช้างทอง/changthong, บัวหลวง/bualuang, สยาม/siam, ตะวัน/tawan, เพชร/phet, ธารา/thara, มะลิ/mali',
    forms: 'จำกัด',
  }),
  place('China', {
    cities: '上海, 北京, 深圳, 杭州, 成都',
    given:
      '伟/wei, 芳/fang, 娜/na, 敏/min, 静/jing, 建国/jianguo, 秀英/xiuying, 子涵/zihan, 雨桐/yutong, 浩然/haoran',
    family: '王/wang, 李/li, 张/zhang, 刘/liu, 陈/chen, 杨/yang, 黄/huang, 赵/zhao, 周/zhou, 吴/wu',
    words:
      '长江/changjiang, 青山/qingshan, 晨光/chenguang, 松柏/songbai, 海纳/haina, 星河/xinghe, 金桥/jinqiao, 云帆/yunfan',
    forms: '有限公司, 股份有限公司',
  }),
  place('Japan', {
    cities: '東京, 大阪, 京都, 福岡, 札幌',
    given:
      '花子/hanako, 太郎/taro, さくら/sakura, 健太/kenta, 美咲/misaki, 翔/sho, ゆい/yui, 大輔/daisuke, 直美/naomi, リサ/risa',
    family:
      '山田/yamada, 佐藤/sato, 鈴木/suzuki, 高橋/takahashi, 田中/tanaka, 渡辺/watanabe, 伊藤/ito, 小林/kobayashi, 加藤/kato',
    words:
      'ひかり/hikari, 富士見/fujimi, みどり/midori, 大和/yamato, さざなみ/sazanami, 松風/matsukaze, あおぞら/aozora, 椿/tsubaki',
    forms: '株式会社, 合同会社',
  }),
  place('South Korea', {
    cities: '서울, 부산, 인천, 대전',
    given:
      '민준/minjun, 서연/seoyeon, 지우/jiwoo, 하은/haeun, 도윤/doyun, 수빈/subin, 예준/yejun, 지민/jimin',
    family: '김/kim, 이/lee, 박/park, 최/choi, 정/jung, 강/kang, 조/cho, 윤/yoon',
    words:
      '한강/hangang, 백두/baekdu, 소나무/sonamu, 새벽/saebyeok, 무궁화/mugunghwa, 파도/pado, 은하/eunha, 솔바람/solbaram',
    forms: '주식회사, 유한회사',
  }),
  place('Nigeria', {
    cities: 'Lagos, Abuja, Port Harcourt, Ibadan',
    given: 'Chioma, Ngozi, Adaeze, Folake, Emeka, Tunde, Chinedu, Yusuf, Amina, Olúwaseun',
    family: 'Okonkwo, Adeyemi, Balogun, Nwosu, Abubakar, Eze, Ogunleye, Danjuma, Obi, Ajayi',
    words: 'Baobab, Savanna, Zuma, Lagoon, Harmattan, Iroko, Palmwine, Kainji, Unity, Sahel',
    forms: 'Ltd, PLC',
  }),
]
