/** Common passwords of at least 12 characters, in lower case. Another rule refuses those of digits only. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
  password1234 password12345 password123456 password123! password1234! passwordpassword password2023 password2024
  password2025 password2026 passw0rd1234 p@ssw0rd1234 p@ssword1234 p@ssw0rd123! pa55word1234 mypassword123
  mypassword1234 thepassword1 newpassword1 newpassword123 changeme1234 changemenow1 changeme123! letmein12345
  letmein123456 letmeinplease welcome12345 welcome123456 welcome1234! welcomehome1 administrator administrator1
  administrator123 adminadmin123 adminadmin12 admin1234567 admin12345678 admin123456789 adminpassword adminpassword1
  root12345678 rootpassword superuser123 operator1234 operatoroperator testtesttest testpassword testpassword1
  test12345678 test123456789 guestguest12 default12345 secretsecret secret123456 supersecret1 supersecret123
  topsecret123 qwertyuiop12 qwertyuiop123 qwertyuiop[] qwertyuiopasdf qwertyuiopasdfghjkl qwerty123456 qwerty1234567
  qwerty12345678 qwerty123456789 qwertyqwerty qwerty123qwerty asdfghjkl123 asdfghjkl1234 asdfasdfasdf zxcvbnm12345
  zxcvbnmasdfghjkl 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qazxsw23edc
  qazwsxedcrfv qazwsxedc123 q1w2e3r4t5y6 abcdefghijkl abcdefghijklm abcdefghijklmnop abcd12345678 abc123456789
  abc123abc123 abcdef123456 a1b2c3d4e5f6 aa1234567890 a12345678901 a123456789012 iloveyou1234 iloveyou12345
  iloveyouforever iloveyousomuch sunshine1234 princess1234 football1234 baseball1234 basketball12 dragon123456
  monkey123456 michael12345 jennifer1234 superman1234 batman123456 pokemon12345 starwars1234 trustno1trustno1
  correcthorse correcthorsebattery correcthorsebatterystaple manchesterunited liverpool123 liverpoolfc1 chelsea12345
  computer1234 internet1234 samsung12345 microsoft123 facebook1234 google123456 whatever1234 nothing12345
  freedom12345 master123456 shadow123456 summer2023!! winter2023!! spring2024!! autumn2024!! summer2024!!
  summer2025!! winter2025!! 123456789abc 1234567890ab 1234567890qwerty 12345qwert12345 123qweasdzxc 1234qwerasdf
  123456qwerty 123456789qwerty 123abc456def 0987654321qwerty hello1234567 hellohello12 helloworld12 helloworld123
  `
    .split(/\s+/)
    .filter((word) => word !== ''),
);
